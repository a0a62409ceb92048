use crate::set::{Live, nearest};
use crate::value::foreign;
use crate::{Change, Declaration, Foreign, Kind, Parameter, Refusal, Set, Value};

/// The parameter of each node with a life cycle that says whether it is active from its start.
pub const AUTOSTART: &str = "autostart";

/// All parameters of one node.
#[derive(Clone, Debug)]
pub struct Specification {
    /// The node, which is also its executable and its key in a YAML file.
    pub node: &'static str,
    /// Description of the node's task, one sentence.
    pub text: &'static str,
    /// The parameters with fixed names, in their order.
    pub parameters: Vec<Declaration>,
    /// The families of parameters.
    pub groups: Vec<Group>,
    /// The groups whose entries can be added and removed at run time.
    live: Vec<Live>,
    open: Option<Declaration>,
    fixed: Vec<Fixed>,
    foreign: &'static [Foreign],
    protections: &'static [&'static str],
}

/// Parameters that cannot be chosen while another one has a certain value.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// The other parameter, a text.
    pub by: &'static str,
    /// Its value that fixes them.
    pub when: &'static str,
    /// Their names and fixed values.
    pub values: &'static [(&'static str, PresetValue)],
}

/// A family of parameters that repeats for names the user chooses: `<prefix>.<name>.<member>`.
///
/// If the user names no entry the presets exist, otherwise only the entries that the user named.
#[derive(Clone, Debug)]
pub struct Group {
    /// First part of the names.
    pub prefix: &'static str,
    /// Describes an entry in one sentence.
    pub text: &'static str,
    /// The parameters of each entry.
    pub members: Vec<Declaration>,
    /// The entries that exist if the user names none.
    pub presets: &'static [Preset],
}

/// An entry of a [`Group`] that exists by default.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Members whose value differs from the member's default.
    pub values: &'static [(&'static str, PresetValue)],
}

/// A preset's value as a constant.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // one constant per type, as in `Value`
pub enum PresetValue {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'static str),
}

impl From<PresetValue> for Value {
    fn from(value: PresetValue) -> Self {
        match value {
            PresetValue::Bool(v) => Self::Bool(v),
            PresetValue::Integer(v) => Self::Integer(v),
            PresetValue::Float(v) => Self::Float(v),
            PresetValue::Text(v) => Self::Text(v.into()),
        }
    }
}

impl Specification {
    /// A node without parameters yet.
    pub fn new(node: &'static str, text: &'static str) -> Self {
        Self {
            node,
            text,
            parameters: Vec::new(),
            groups: Vec::new(),
            live: Vec::new(),
            open: None,
            fixed: Vec::new(),
            foreign: &[],
            protections: &[],
        }
    }

    /// Adds the parameters that [`params!`](crate::params!) lists; the order is that of the YAML file.
    #[must_use]
    pub fn with_all(mut self, parameters: Vec<Declaration>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Adds the parameter of a node with a life cycle.
    #[must_use]
    pub fn managed(self) -> Self {
        const AUTOSTART: Parameter<bool> = Parameter::bool(crate::AUTOSTART, true).at_start().text(
            "Whether the node is active from its start. Otherwise it publishes stop until its life cycle is configured and activated, \
             as by Nav2's lifecycle manager.",
        );
        self.with_all(vec![AUTOSTART.declaration()])
    }

    /// Adds a group.
    #[must_use]
    pub fn with_group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds a group whose entries, presets too, can be added and removed at run time: setting any member of a new entry adds it,
    /// with the defaults for the rest, and deleting its member `key` removes it.
    #[must_use]
    pub fn with_live_group(mut self, group: Group, key: &'static str) -> Self {
        self.live.push(Live { prefix: group.prefix, key, members: group.members.clone() });
        self.with_group(group)
    }

    /// The member whose deletion removes an entry of the group `prefix`; `None` unless entries change at run time.
    pub fn live_key(&self, prefix: &str) -> Option<&'static str> {
        self.live.iter().find(|live| live.prefix == prefix).map(|live| live.key)
    }

    /// Allows parameters that are not declared: `<owner>.<member>`, for owners that the user chooses and whose parameters only
    /// they know. They may be set to any type and deleted at any time; `text` describes them.
    ///
    /// No owner has the first part of a declared name, so a mistyped one of those is still refused.
    #[must_use]
    pub fn with_open(mut self, text: &'static str) -> Self {
        let declaration =
            Declaration { name: "", text, unit: "", instead: "", kind: Kind::Any, change: Change::Live };
        self.open = Some(declaration);
        self
    }

    /// Fixes parameters that were added before.
    #[must_use]
    pub fn with_fixed(mut self, fixed: Fixed) -> Self {
        self.fixed.push(fixed);
        self
    }

    /// Names the parameters of other programs that users may give to this node: their refusal names the node's own.
    #[must_use]
    pub fn with_foreign(self, foreign: &'static [Foreign]) -> Self {
        Self { foreign, ..self }
    }

    /// Names those parameters that were added before and are protections, off by default, or the first parts of their names: a robot
    /// that a file for several robots leaves out starts only if it loses none of them.
    #[must_use]
    pub fn with_protections(self, protections: &'static [&'static str]) -> Self {
        debug_assert!(
            protections.iter().all(|first| {
                self.parameters.iter().any(|declared| declared.name.starts_with(first))
                    || self.groups.iter().any(|group| first.strip_suffix('.') == Some(group.prefix))
            }),
            "a protection that does not exist"
        );
        Self { protections, ..self }
    }

    /// Whether the parameter `name` is one of its protections.
    pub fn protects(&self, name: &str) -> bool {
        self.protections.iter().any(|first| name.starts_with(first))
    }

    /// The values in force when the user gives `overrides`, in which a later value replaces an earlier one.
    /// # Errors
    /// All refusals together.
    pub fn resolve(&self, overrides: impl IntoIterator<Item = (String, Value)>) -> Result<Set, Vec<Refusal>> {
        let overrides: Vec<(String, Value)> = overrides.into_iter().collect();
        let mut set = Set::new(self.live.clone(), self.open, self.foreign);
        for declaration in &self.parameters {
            set.insert(declaration.name.into(), *declaration, declaration.kind.default());
        }
        for group in &self.groups {
            group.declare(&mut set, &overrides);
        }
        let mut refusals = Vec::new();
        for (name, value) in &overrides {
            if let Err(refusal) = set.check_entry(name, value) {
                refusals.push(refusal);
                continue;
            }
            set.add_open(name);
            if let Err(refusal) = set.replace(name, value.clone()) {
                refusals.push(refusal);
            }
        }
        for fixed in &self.fixed {
            if set.value(fixed.by) != Some(&Value::Text(fixed.when.into())) {
                continue;
            }
            for &(name, value) in fixed.values {
                let is_given = overrides.iter().any(|(given, _)| given == name);
                if let Err(refusal) = set.fix(name, value.into(), is_given, fixed) {
                    refusals.push(refusal);
                }
            }
        }
        // Once is enough: another program's file has many of its names.
        let _ = refusals.iter_mut().rev().any(|refusal| refusal.names_page(self.foreign));
        if refusals.is_empty() { Ok(set) } else { Err(refusals) }
    }

    /// Whether `name` is another program's name of one of its parameters.
    pub fn is_foreign(&self, name: &str) -> bool {
        foreign(name, self.foreign).is_some()
    }

    /// Whether `node` is by default the name of a node of a program whose parameters it knows.
    pub fn knows_program(&self, node: &str) -> bool {
        let program = node.strip_suffix("_node").unwrap_or(node);
        self.foreign.iter().any(|[known, ..]| *known == program)
    }

    /// Whether `name` is one of its parameters, may belong to a group or an owner of them, or is probably misspelt for one or another
    /// program's name of it.
    pub fn may_mean(&self, name: &str) -> bool {
        let first = name.split_once('.').map(|(first, _)| first);
        let is_in_group = first.is_some_and(|first| {
            self.open.is_some() || self.groups.iter().any(|group| nearest(first, [group.prefix]).is_some())
        });
        is_in_group
            || self.is_foreign(name)
            || nearest(name, self.parameters.iter().map(|declared| declared.name)).is_some()
    }

    /// Whether `name` is exactly one of its parameters, or a member of one of its groups.
    pub fn declares(&self, name: &str) -> bool {
        let is_member = || {
            let (prefix, _, member) = split(name)?;
            let group = self.groups.iter().find(|group| group.prefix == prefix)?;
            Some(group.members.iter().any(|declared| declared.name == member))
        };
        self.parameters.iter().any(|declared| declared.name == name) || is_member() == Some(true)
    }

    /// The values in force when the user gives none.
    pub fn defaults(&self) -> Set {
        // Without overrides nothing can be refused: the defaults are not checked against themselves.
        self.resolve([]).unwrap_or_default()
    }
}

impl Group {
    fn declare(&self, set: &mut Set, overrides: &[(String, Value)]) {
        let mut names: Vec<&str> = Vec::new();
        for (full, _) in overrides {
            if let Some((prefix, name, _)) = split(full)
                && prefix == self.prefix
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        if names.is_empty() {
            for preset in self.presets {
                self.declare_entry(set, preset.name);
                for &(member, value) in preset.values {
                    // The test of the specification finds a preset that breaks its own declaration.
                    let _ = set.replace(&format!("{}.{}.{member}", self.prefix, preset.name), value.into());
                }
            }
        }
        for name in names {
            self.declare_entry(set, name);
        }
    }

    fn declare_entry(&self, set: &mut Set, name: &str) {
        for member in &self.members {
            set.insert(format!("{}.{name}.{}", self.prefix, member.name), *member, member.kind.default());
        }
    }
}

/// `a.b.c.d` is the member `c.d` of the entry `b` of the group `a`.
pub(crate) fn split(full: &str) -> Option<(&str, &str, &str)> {
    let (prefix, rest) = full.split_once('.')?;
    let (name, member) = rest.split_once('.')?;
    Some((prefix, name, member))
}
