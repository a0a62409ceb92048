use std::collections::BTreeSet;

use params::{Refusal, Set, Specification, Value, quoted};
use r2r::rcl_interfaces::{msg, srv};
use r2r::{QosProfile, WrappedServiceTypeSupport};

use crate::overrides::Overrides;
use crate::requests::{Requests, respond};
use crate::wire::{describe, from_wire, list, to_wire};
use crate::{Error, clock, publishers, qos};

/// The six parameter services of a node, with descriptors, ranges, read-only and refusal with a reason.
///
/// r2r's own parameter handler supports neither ranges nor arrays nor a refusal with a reason. Here a change goes through
/// [`Set::change`], so a value out of range never reaches the machine.
///
/// # Source
/// `rcl_interfaces` (ROS 2 Jazzy); the same names and answers as rclcpp's.
pub struct Parameters {
    set: Set,
    services: Services,
    events: r2r::Publisher<msg::ParameterEvent>,
    node: String,
    /// The service that was answered last.
    turn: usize,
}

/// The most names that a request may have: more than any node has, and few enough for the thread that also reads the emergency
/// stop.
const MAX_NAMES: usize = 200;

struct Services {
    set: Requests<srv::SetParameters::Service>,
    set_atomically: Requests<srv::SetParametersAtomically::Service>,
    get: Requests<srv::GetParameters::Service>,
    get_types: Requests<srv::GetParameterTypes::Service>,
    list: Requests<srv::ListParameters::Service>,
    describe: Requests<srv::DescribeParameters::Service>,
}

/// Where each node reports the changes of its parameters.
const EVENTS: &str = "/parameter_events";

/// Parameters that ROS gives every node; the specification does not declare them.
const ROS_OWN: [&str; 2] = ["use_sim_time", "start_type_description_service"];

impl Parameters {
    /// Reads the values for `node` from the command line and the parameter files, and serves them.
    /// # Errors
    /// A value that the specification refuses or a key that it does not declare, all of them at once; or a refusal by the
    /// middleware.
    pub fn new(node: &mut r2r::Node, specification: &Specification) -> Result<Self, Error> {
        let name = node.name().map_err(Error::ros("read the node's name"))?;
        let full_name = node.fully_qualified_name().map_err(Error::ros("read the node's name"))?;
        let given = Overrides::new(std::env::args())?;
        let mut overrides = given.of(&full_name);
        if overrides.iter().any(|(key, value)| key == "use_sim_time" && *value == Value::Bool(true)) {
            log::warn!(target: &name, "use_sim_time has no effect: stamps follow the wall clock");
        }
        overrides.retain(|(key, _)| !ROS_OWN.contains(&key.as_str()) && !key.starts_with("qos_overrides."));
        let is_foreign = |key: &String| given.is_for_all(key, &full_name) && !specification.may_mean(key);
        let foreign: Vec<_> =
            overrides.extract_if(.., |(key, _)| is_foreign(key)).map(|(key, _)| key).collect();
        if !foreign.is_empty() {
            let names = foreign.join("', '");
            log::warn!(target: &name, "'{names}' of a block for all nodes is no parameter of this node, which passes it over");
        }
        given.check_meant_for(&full_name, specification.node)?;
        if let Some(sentence) = given.nothing_for(&full_name) {
            log::warn!(target: &name, "{sentence}");
        }
        let set = specification
            .resolve(overrides)
            .map_err(|refusals| Error::Parameters { node: name.clone(), refusals })?;
        let what = || Error::ros(format!("serve the parameters of '{name}'"));
        let services = Services {
            set: incoming::<srv::SetParameters::Service>(node, &name, "set_parameters").map_err(what())?,
            set_atomically: incoming::<srv::SetParametersAtomically::Service>(
                node,
                &name,
                "set_parameters_atomically",
            )
            .map_err(what())?,
            get: incoming::<srv::GetParameters::Service>(node, &name, "get_parameters").map_err(what())?,
            get_types: incoming::<srv::GetParameterTypes::Service>(node, &name, "get_parameter_types")
                .map_err(what())?,
            list: incoming::<srv::ListParameters::Service>(node, &name, "list_parameters").map_err(what())?,
            describe: incoming::<srv::DescribeParameters::Service>(node, &name, "describe_parameters")
                .map_err(what())?,
        };
        let events = node.create_publisher(EVENTS, QosProfile::parameter_events()).map_err(what())?;
        let node = node.fully_qualified_name().map_err(what())?;
        Ok(Self { set, services, events, node, turn: 0 })
    }

    /// Whether another node in the graph has this node's full name: each publishes its events.
    pub(crate) fn have_namesake(&self, node: &r2r::Node) -> bool {
        let found = publishers(node, EVENTS).unwrap_or_default();
        found.iter().filter(|publisher| publisher.full_name == self.node).count() > 1
    }

    /// The values in force.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// Receives the requests that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        let Services { set, set_atomically, get, get_types, list, describe } = &mut self.services;
        let changes = set.receive() + set_atomically.receive();
        changes + get.receive() + get_types.receive() + list.receive() + describe.receive()
    }

    /// Whether requests wait for their answer.
    pub(crate) fn have_requests(&self) -> bool {
        let Services { set, set_atomically, get, get_types, list, describe } = &self.services;
        set.are_waiting()
            || set_atomically.are_waiting()
            || get.are_waiting()
            || get_types.are_waiting()
            || list.are_waiting()
            || describe.are_waiting()
    }

    /// Answers one received request, the services in turn: however many requests come, the node reads the stops in between.
    /// `apply` gets the set in force and a new set whose values passed their checks, and may refuse the new set as a whole. If
    /// it accepts, the new set is in force when the request is answered.
    pub(crate) fn answer(&mut self, mut apply: impl FnMut(&Set, &Set) -> Result<(), Refusal>) {
        for _ in 0..6 {
            self.turn = (self.turn + 1) % 6;
            let is_answered = match self.turn {
                0 => self.answer_set(&mut apply),
                1 => self.answer_set_atomically(&mut apply),
                2 => self.answer_get(),
                3 => self.answer_get_types(),
                4 => self.answer_list(),
                _ => self.answer_describe(),
            };
            if is_answered {
                return;
            }
        }
    }

    fn answer_set(&mut self, apply: &mut Apply<'_>) -> bool {
        let Some(request) = self.services.set.next() else { return false };
        let parameters = &request.message.parameters;
        let results = match self.check_number(parameters.len()) {
            Ok(()) => self.change_each(parameters, apply),
            refused => vec![result(refused)],
        };
        respond(request, srv::SetParameters::Response { results });
        true
    }

    fn answer_set_atomically(&mut self, apply: &mut Apply<'_>) -> bool {
        let Some(request) = self.services.set_atomically.next() else { return false };
        let parameters = &request.message.parameters;
        let result = match self.check_number(parameters.len()) {
            Ok(()) => self.change(parameters, apply),
            refused => result(refused),
        };
        respond(request, srv::SetParametersAtomically::Response { result });
        true
    }

    fn answer_get(&mut self) -> bool {
        let Some(request) = self.services.get.next() else { return false };
        let names = self.names(&request.message.names);
        let values = names.iter().map(|name| self.set.value(name).map(to_wire).unwrap_or_default());
        let response = srv::GetParameters::Response { values: values.collect() };
        respond(request, response);
        true
    }

    fn answer_get_types(&mut self) -> bool {
        let Some(request) = self.services.get_types.next() else { return false };
        let names = self.names(&request.message.names);
        let types = names.iter().map(|name| self.set.value(name).map_or(0, |value| to_wire(value).type_));
        let response = srv::GetParameterTypes::Response { types: types.collect() };
        respond(request, response);
        true
    }

    fn answer_list(&mut self) -> bool {
        let Some(request) = self.services.list.next() else { return false };
        let result = match self.check_number(request.message.prefixes.len()) {
            Ok(()) => list(&self.set, &request.message.prefixes, request.message.depth),
            Err(_) => msg::ListParametersResult::default(),
        };
        respond(request, srv::ListParameters::Response { result });
        true
    }

    fn answer_describe(&mut self) -> bool {
        let Some(request) = self.services.describe.next() else { return false };
        let descriptors = self.names(&request.message.names).iter().map(|name| {
            match self.set.declaration(name).zip(self.set.value(name)) {
                Some((declaration, value)) => describe(name, declaration, value),
                None => msg::ParameterDescriptor { name: name.clone(), ..Default::default() },
            }
        });
        let response = srv::DescribeParameters::Response { descriptors: descriptors.collect() };
        respond(request, response);
        true
    }

    /// The names of a request, or none if the request is refused, since the response has no field for a reason.
    fn names<'a>(&self, names: &'a [String]) -> &'a [String] {
        if self.check_number(names.len()).is_ok() { names } else { &[] }
    }

    /// Refuses a request that is large enough to delay the node's other work.
    fn check_number(&self, names: usize) -> Result<(), String> {
        if names <= MAX_NAMES {
            return Ok(());
        }
        let reason = format!("a request has {names} names, must have {MAX_NAMES} at most");
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
        if let Err(error) = self.events.publish(&event) {
            log::warn!(target: self.node.trim_start_matches('/'), "could not publish '{EVENTS}': {error}");
        }
    }
}

/// A parameter's name and its new value; `None` deletes the parameter.
type Edit = (String, Option<Value>);
/// Puts the second set in force in place of the first.
type Apply<'a> = dyn FnMut(&Set, &Set) -> Result<(), Refusal> + 'a;

fn edits(parameters: &[msg::Parameter]) -> Result<Vec<Edit>, String> {
    let edit = |parameter: &msg::Parameter| {
        if ROS_OWN.contains(&parameter.name.as_str()) {
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

fn incoming<S: WrappedServiceTypeSupport + 'static>(
    node: &mut r2r::Node,
    name: &str,
    service: &str,
) -> r2r::Result<Requests<S>> {
    Requests::new(node, &format!("{name}/{service}"), qos::requests())
}
