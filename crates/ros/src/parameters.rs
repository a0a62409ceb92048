use std::collections::BTreeSet;

use params::{Refusal, Set, Specification, Value, quoted};
use r2r::rcl_interfaces::{msg, srv};
use r2r::{QosProfile, WrappedServiceTypeSupport};
use safety::Machine;

use crate::clock_topic::{self, ClockTopic};
use crate::overrides::Overrides;
use crate::service::{Serve, Service, answering};
use crate::wire::{describe, from_wire, list, to_wire};
use crate::{Error, ServiceContext, Status, Topic, clock, publishers, qos_overrides};

/// The six parameter services of a node, with descriptors, ranges, read-only and refusal with a reason.
///
/// r2r's own parameter handler supports neither ranges nor arrays nor a refusal with a reason. Here a change goes through
/// [`Set::change`], so a value out of range never reaches the machine.
///
/// # Source
/// `rcl_interfaces` (ROS 2 Jazzy); the same names and answers as rclcpp's. Own: beside a name that does not exist the others are answered.
pub struct Parameters {
    set: Set,
    events: Topic<msg::ParameterEvent>,
    clock: Option<ClockTopic>,
    node: String,
}

/// The most names that a request may have to a node with fewer parameters: few enough for the thread that also reads the emergency stop.
const MAX_NAMES: usize = 200;

/// Where each node reports the changes of its parameters.
const EVENTS: &str = "/parameter_events";

/// A parameter that ROS gives every node, and that is not declared.
const ROS_OWN: &str = "start_type_description_service";

impl Parameters {
    /// Reads the values for `node` from the command line and the parameter files, and serves them; `nodes` are all of Steersman's.
    /// # Errors
    /// A value that the specification refuses or a key that it does not declare, all of them at once; or a refusal by the
    /// middleware.
    pub fn new(node: &mut r2r::Node, specification: &Specification, nodes: &[&str]) -> Result<Self, Error> {
        let name = node.name().map_err(Error::ros("read the node's name"))?;
        let full_name = node.fully_qualified_name().map_err(Error::ros("read the node's name"))?;
        let given = Overrides::new(std::env::args())?;
        let mut overrides = given.of(&full_name);
        overrides.retain(|(key, _)| key != ROS_OWN);
        let refused = |refusals| Error::Parameters { node: name.clone(), refusals };
        qos_overrides::take(&full_name, &mut overrides).map_err(refused)?;
        let is_foreign = |key: &String| {
            key != clock_topic::NAME && given.is_for_all(key, &full_name) && !specification.may_mean(key)
        };
        let foreign: Vec<_> =
            overrides.extract_if(.., |(key, _)| is_foreign(key)).map(|(key, _)| key).collect();
        if !foreign.is_empty() {
            let names = foreign.join("', '");
            log::warn!(target: &name, "passes over what is given to all nodes and is no parameter of this one: '{names}'");
        }
        given.check_meant_for(&full_name, specification)?;
        given.check_unnamed(&full_name, nodes, specification)?;
        if let Some(sentence) = given.nothing_for(&full_name) {
            log::warn!(target: &name, "{sentence}");
        }
        let set = specification
            .clone()
            .with_all(vec![clock_topic::declaration()])
            .resolve(overrides)
            .map_err(refused)?;
        let clock = ClockTopic::open(node, set.value(clock_topic::NAME) == Some(&Value::Bool(true)))?;
        let events = Topic::new(node, EVENTS, QosProfile::parameter_events())?;
        Ok(Self { set, events, clock, node: full_name })
    }

    /// Whether another node in the graph has this node's full name: each publishes its events.
    pub(crate) fn have_namesake(&self, node: &r2r::Node) -> bool {
        let found = publishers(node, EVENTS).unwrap_or_default();
        found.iter().filter(|publisher| publisher.full_name == self.node).count() > 1
    }

    /// Logs overrides of QoS that apply to no topic of the node so far.
    pub(crate) fn warn_of_unused_overrides(&self) {
        for name in qos_overrides::unused(&self.node) {
            log::warn!(target: self.node.trim_start_matches('/'), "'{name}' is for no topic that this node has so far");
        }
    }

    /// Counts the publishers of `/clock`.
    pub(crate) fn count_clocks(&mut self, node: &r2r::Node) {
        if let Some(clock) = &mut self.clock {
            clock.count(node);
        }
    }

    /// Reports in `status` and in the log whether stamps count.
    pub(crate) fn report_clock(&mut self, status: &mut Status) {
        if let Some(clock) = &mut self.clock {
            clock.log();
        }
        clock_topic::report(self.clock.as_ref(), status);
    }

    /// The values in force.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// Receives the time that r2r has, and returns the number of messages.
    pub(crate) fn receive(&mut self) -> usize {
        self.clock.as_mut().map_or(0, ClockTopic::receive)
    }

    fn set_each(
        &mut self,
        request: &srv::SetParameters::Request,
        apply: &mut Apply<'_>,
    ) -> srv::SetParameters::Response {
        let results = match self.check_number(request.parameters.len()) {
            Ok(()) => self.change_each(&request.parameters, apply),
            refused => vec![result(refused); request.parameters.len()],
        };
        srv::SetParameters::Response { results }
    }

    fn set_atomically(
        &mut self,
        request: &srv::SetParametersAtomically::Request,
        apply: &mut Apply<'_>,
    ) -> srv::SetParametersAtomically::Response {
        let result = match self.check_number(request.parameters.len()) {
            Ok(()) => self.change(&request.parameters, apply),
            refused => result(refused),
        };
        srv::SetParametersAtomically::Response { result }
    }

    fn get(&self, request: &srv::GetParameters::Request) -> srv::GetParameters::Response {
        let names = self.names(&request.names).iter();
        let values = names.map(|name| self.set.value(name).map(to_wire).unwrap_or_default());
        srv::GetParameters::Response { values: values.collect() }
    }

    fn get_types(&self, request: &srv::GetParameterTypes::Request) -> srv::GetParameterTypes::Response {
        let names = self.names(&request.names).iter();
        let types = names.map(|name| self.set.value(name).map_or(0, |value| to_wire(value).type_));
        srv::GetParameterTypes::Response { types: types.collect() }
    }

    fn list(&self, request: &srv::ListParameters::Request) -> srv::ListParameters::Response {
        let result = match self.check_number(request.prefixes.len()) {
            Ok(()) => list(&self.set, &request.prefixes, request.depth),
            Err(_) => msg::ListParametersResult::default(),
        };
        srv::ListParameters::Response { result }
    }

    fn describe(&self, request: &srv::DescribeParameters::Request) -> srv::DescribeParameters::Response {
        let descriptors = self.names(&request.names).iter().map(|name| {
            match self.set.declaration(name).zip(self.set.value(name)) {
                Some((declaration, value)) => describe(name, declaration, value),
                None => msg::ParameterDescriptor { name: name.clone(), ..Default::default() },
            }
        });
        srv::DescribeParameters::Response { descriptors: descriptors.collect() }
    }

    /// The names of a request, or none if the request is refused, since the response has no field for a reason.
    fn names<'a>(&self, names: &'a [String]) -> &'a [String] {
        if self.check_number(names.len()).is_ok() { names } else { &[] }
    }

    /// Refuses a request that is large enough to delay the node's other work.
    fn check_number(&self, names: usize) -> Result<(), String> {
        let most = MAX_NAMES.max(self.set.iter().count());
        if names <= most {
            return Ok(());
        }
        let reason = format!("a request has {names} names, must have {most} at most");
        log::warn!(target: self.node.trim_start_matches('/'), "{reason}");
        Err(reason)
    }

    /// Makes changes of which each may fail on its own. If they are valid together they are made together, since the values
    /// that `ros2 param load` sends may be valid in no order. Otherwise the changes of one entry that parameters add and remove
    /// are made together, and the others one by one.
    fn change_each(
        &mut self,
        parameters: &[msg::Parameter],
        apply: &mut Apply<'_>,
    ) -> Vec<msg::SetParametersResult> {
        let several = parameters.len() > 1;
        if several
            && let Ok(edits) = edits(parameters)
            && self.try_edit(&edits, apply).is_ok()
        {
            return parameters.iter().map(|_| result(Ok(()))).collect();
        }
        let mut results = vec![msg::SetParametersResult::default(); parameters.len()];
        let mut units: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let entry = self.set.live_entry(&parameter.name);
            match units.iter_mut().find(|(known, _)| entry.is_some() && *known == entry) {
                Some((_, unit)) => unit.push(index),
                None => units.push((entry, vec![index])),
            }
        }
        for (_, unit) in units {
            let together: Vec<_> = unit.iter().filter_map(|&index| parameters.get(index).cloned()).collect();
            let outcome = self.change(&together, apply);
            for index in unit {
                results[index].clone_from(&outcome);
            }
        }
        results
    }

    fn change(&mut self, parameters: &[msg::Parameter], apply: &mut Apply<'_>) -> msg::SetParametersResult {
        let outcome = edits(parameters).and_then(|edits| self.try_edit(&edits, apply));
        if let Err(reason) = &outcome {
            log::warn!(target: self.node.trim_start_matches('/'), "{reason}");
        }
        result(outcome)
    }

    fn try_edit(&mut self, edits: &[Edit], apply: &mut Apply<'_>) -> Result<(), String> {
        let wanted = edits.iter().map(|(name, value)| (name.as_str(), value.as_ref()));
        let next = self.set.edit(wanted).map_err(|refusal| refusal.to_string())?;
        apply(&self.set, &next).map_err(|refusal| refusal.to_string())?;
        let before = std::mem::replace(&mut self.set, next);
        self.publish_event(&before, edits.iter().map(|(name, _)| name.as_str()));
        Ok(())
    }

    /// Makes a change that does not come from the parameter services, all or none of it. Only parameters whose value differs are
    /// published.
    pub(crate) fn change_from_inside(
        &mut self,
        mut changes: Vec<(String, Value)>,
        apply: impl FnOnce(&Set, &Set) -> Result<(), Refusal>,
    ) -> Result<(), String> {
        let refused = |refusal: Refusal| {
            log::warn!(target: self.node.trim_start_matches('/'), "{refusal}");
            refusal.to_string()
        };
        let next = self.set.change(&changes).map_err(refused)?;
        apply(&self.set, &next).map_err(refused)?;
        changes.retain(|(name, _)| next.value(name) != self.set.value(name));
        let before = std::mem::replace(&mut self.set, next);
        if !changes.is_empty() {
            self.publish_event(&before, changes.iter().map(|(name, _)| name.as_str()));
        }
        Ok(())
    }

    /// Publishes the parameters that are new, changed among `touched`, or deleted compared with `before`. The values are in
    /// force even if publishing fails.
    fn publish_event<'a>(&self, before: &Set, touched: impl Iterator<Item = &'a str>) {
        let value = |name: &str| self.set.value(name).map(to_wire).unwrap_or_default();
        let named = |name: &str| msg::Parameter { name: name.into(), value: value(name) };
        let touched: BTreeSet<&str> = touched.collect();
        let is_changed = |name: &&str| before.value(name).is_some() && self.set.value(name).is_some();
        let only_in = |one: &Set, other: &Set| -> Vec<msg::Parameter> {
            one.iter()
                .filter(|(name, ..)| other.value(name).is_none())
                .map(|(name, ..)| named(name))
                .collect()
        };
        let event = msg::ParameterEvent {
            stamp: clock::to_wire(clock::stamp()),
            node: self.node.clone(),
            new_parameters: only_in(&self.set, before),
            changed_parameters: touched.into_iter().filter(is_changed).map(named).collect(),
            deleted_parameters: only_in(before, &self.set),
        };
        self.events.publish(&event);
    }
}

/// A parameter's name and its new value; `None` deletes the parameter.
type Edit = (String, Option<Value>);
/// Puts the second set in force in place of the first.
type Apply<'a> = dyn FnMut(&Set, &Set) -> Result<(), Refusal> + 'a;

fn edits(parameters: &[msg::Parameter]) -> Result<Vec<Edit>, String> {
    let edit = |parameter: &msg::Parameter| {
        if parameter.name == ROS_OWN {
            return Err(format!("parameter '{}' is set when the node starts", parameter.name));
        }
        // A value of unknown type is not a request to delete.
        let value = from_wire(&parameter.value);
        if value.is_none() && parameter.value.type_ != 0 {
            let (name, type_) = (quoted(&parameter.name), parameter.value.type_);
            return Err(format!("parameter '{name}' has a value of type {type_}, must be from 0 to 9"));
        }
        Ok((parameter.name.clone(), value))
    };
    parameters.iter().map(edit).collect()
}

fn result(outcome: Result<(), String>) -> msg::SetParametersResult {
    msg::SetParametersResult { successful: outcome.is_ok(), reason: outcome.err().unwrap_or_default() }
}

/// The six services of the node called `name`, which the runner answers one at a time.
pub(crate) fn parameter_services<M: Machine + 'static>(
    node: &mut r2r::Node,
    name: &str,
) -> Result<Vec<Box<dyn Serve<M> + Send>>, Error> {
    let of = |service: &str| format!("{name}/{service}");
    Ok(vec![
        serve::<srv::SetParameters::Service, M>(node, &of("set_parameters"), Parameters::set_each)?,
        serve::<srv::SetParametersAtomically::Service, M>(
            node,
            &of("set_parameters_atomically"),
            Parameters::set_atomically,
        )?,
        serve::<srv::GetParameters::Service, M>(node, &of("get_parameters"), |all, request, _| {
            all.get(request)
        })?,
        serve::<srv::GetParameterTypes::Service, M>(node, &of("get_parameter_types"), |all, request, _| {
            all.get_types(request)
        })?,
        serve::<srv::ListParameters::Service, M>(node, &of("list_parameters"), |all, request, _| {
            all.list(request)
        })?,
        serve::<srv::DescribeParameters::Service, M>(node, &of("describe_parameters"), |all, request, _| {
            all.describe(request)
        })?,
    ])
}

fn serve<S: WrappedServiceTypeSupport + 'static, M: Machine + 'static>(
    node: &mut r2r::Node,
    name: &str,
    answer: fn(&mut Parameters, &S::Request, &mut Apply<'_>) -> S::Response,
) -> Result<Box<dyn Serve<M> + Send>, Error> {
    let answer = move |request: &S::Request, context: &mut ServiceContext<'_, M>| {
        let ServiceContext { shell, parameters, update, node } = context;
        let mut apply = |before: &Set, after: &Set| update.put_in_force(shell, node, before, after);
        Some(answer(parameters, request, &mut apply))
    };
    Ok(Box::new(Service::<S, _>::new(node, name, answering(answer))?))
}
