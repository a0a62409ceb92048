use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};
use params::{Declaration, Kind, Refusal, Set, Specification, Value};
use r2r::rcl_interfaces::{msg, srv};
use r2r::{ParameterValue, QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use crate::{Error, clock, qos};

/// The six parameter services of a node, with descriptors, ranges, read-only and refusal with a reason.
///
/// r2r's own parameter handler knows neither ranges nor arrays nor a refusal that says why; a change goes through
/// [`Set::change`] here, so that a value out of range never reaches the machine.
///
/// # Source
/// `rcl_interfaces` (ROS 2 Jazzy); the same names and answers as rclcpp's.
pub struct Parameters {
    set: Set,
    services: Services,
    events: r2r::Publisher<msg::ParameterEvent>,
    node: String,
}

struct Services {
    set: Incoming<srv::SetParameters::Service>,
    set_atomically: Incoming<srv::SetParametersAtomically::Service>,
    get: Incoming<srv::GetParameters::Service>,
    get_types: Incoming<srv::GetParameterTypes::Service>,
    list: Incoming<srv::ListParameters::Service>,
    describe: Incoming<srv::DescribeParameters::Service>,
}

/// Every node has these by ROS's own making; they are none of the specification's business.
const ROS_OWN: [&str; 2] = ["use_sim_time", "start_type_description_service"];

impl Parameters {
    /// Reads the command line's and the files' values for `node` and serves them.
    /// # Errors
    /// A value that the specification refuses, or a key it does not know, all at once; or the middleware's refusal.
    pub fn new(node: &mut r2r::Node, specification: &Specification) -> Result<Self, Error> {
        let name = node.name().map_err(Error::ros("read the node's name"))?;
        let mut overrides = Vec::new();
        let given = node.params.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (key, parameter) in given.iter() {
            if ROS_OWN.contains(&key.as_str()) || key.starts_with("qos_overrides.") {
                if parameter.value == ParameterValue::Bool(true) && key == "use_sim_time" {
                    log::warn!(target: &name, "use_sim_time has no effect: stamps follow the wall clock");
                }
                continue;
            }
            let value = from_r2r(&parameter.value);
            overrides.push((key.clone(), value));
        }
        if given.is_empty() && std::env::args().any(|argument| argument == "--params-file") {
            log::warn!(target: &name, "the parameter files hold nothing for '{name}': all defaults are in force");
        }
        drop(given);
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
        let events = node.create_publisher("/parameter_events", qos::edge()).map_err(what())?;
        let node = node.fully_qualified_name().map_err(what())?;
        Ok(Self { set, services, events, node })
    }

    /// The values in force.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// Answers every request that has come. `apply` gets the set in force and one that passed the checks of each value, and
    /// may refuse that as a whole; what it accepts is in force when the request is answered.
    pub(crate) fn answer(&mut self, mut apply: impl FnMut(&Set, &Set) -> Result<(), Refusal>) {
        while let Some(request) = next(&mut self.services.set) {
            let results =
                request.message.parameters.iter().map(|p| self.change(std::slice::from_ref(p), &mut apply));
            let response = srv::SetParameters::Response { results: results.collect() };
            respond(request, response);
        }
        while let Some(request) = next(&mut self.services.set_atomically) {
            let result = self.change(&request.message.parameters, &mut apply);
            respond(request, srv::SetParametersAtomically::Response { result });
        }
        while let Some(request) = next(&mut self.services.get) {
            let values = request
                .message
                .names
                .iter()
                .map(|name| self.set.value(name).map(to_wire).unwrap_or_default());
            let response = srv::GetParameters::Response { values: values.collect() };
            respond(request, response);
        }
        while let Some(request) = next(&mut self.services.get_types) {
            let types =
                request.message.names.iter().map(|n| self.set.value(n).map_or(0, |v| to_wire(v).type_));
            let response = srv::GetParameterTypes::Response { types: types.collect() };
            respond(request, response);
        }
        while let Some(request) = next(&mut self.services.list) {
            let result = list(&self.set, &request.message.prefixes, request.message.depth);
            respond(request, srv::ListParameters::Response { result });
        }
        while let Some(request) = next(&mut self.services.describe) {
            let descriptors = request.message.names.iter().map(|name| match self.set.declaration(name) {
                Some(declaration) => describe(name, declaration),
                None => msg::ParameterDescriptor { name: name.clone(), ..Default::default() },
            });
            let response = srv::DescribeParameters::Response { descriptors: descriptors.collect() };
            respond(request, response);
        }
    }

    fn change(
        &mut self,
        parameters: &[msg::Parameter],
        apply: &mut impl FnMut(&Set, &Set) -> Result<(), Refusal>,
    ) -> msg::SetParametersResult {
        match self.try_change(parameters, apply) {
            Ok(()) => msg::SetParametersResult { successful: true, reason: String::new() },
            Err(reason) => {
                log::warn!(target: self.node.trim_start_matches('/'), "{reason}");
                msg::SetParametersResult { successful: false, reason }
            }
        }
    }

    fn try_change(
        &mut self,
        parameters: &[msg::Parameter],
        apply: &mut impl FnMut(&Set, &Set) -> Result<(), Refusal>,
    ) -> Result<(), String> {
        let mut changes = Vec::new();
        for parameter in parameters {
            if ROS_OWN.contains(&parameter.name.as_str()) {
                return Err(format!("parameter '{}' is set when the node starts", parameter.name));
            }
            let value = from_wire(&parameter.value)
                .ok_or_else(|| format!("parameter '{}' cannot be deleted", parameter.name))?;
            changes.push((parameter.name.clone(), value));
        }
        let next = self.set.change(&changes).map_err(|refusal| refusal.to_string())?;
        apply(&self.set, &next).map_err(|refusal| refusal.to_string())?;
        self.set = next;
        self.tell(changes.iter().map(|(name, _)| name.as_str()))
    }

    /// The same for a change that does not come from the parameter services; those are told that have another value.
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
        self.set = next;
        if changes.is_empty() { Ok(()) } else { self.tell(changes.iter().map(|(name, _)| name.as_str())) }
    }

    /// Tells everybody the values in force of those that changed.
    fn tell<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let changed = names.filter_map(|name| {
            let value = to_wire(self.set.value(name)?);
            Some(msg::Parameter { name: name.into(), value })
        });
        let event = msg::ParameterEvent {
            stamp: clock::to_wire(clock::stamp()),
            node: self.node.clone(),
            changed_parameters: changed.collect(),
            ..Default::default()
        };
        self.events.publish(&event).map_err(|error| format!("changed, but nobody was told: {error}"))
    }
}

pub(crate) type Incoming<S> = Pin<Box<dyn Stream<Item = ServiceRequest<S>> + Send>>;

fn incoming<S: WrappedServiceTypeSupport + 'static>(
    node: &mut r2r::Node,
    name: &str,
    service: &str,
) -> r2r::Result<Incoming<S>> {
    let stream = node.create_service::<S>(&format!("{name}/{service}"), QosProfile::services_default())?;
    Ok(Box::pin(stream))
}

pub(crate) fn next<S: WrappedServiceTypeSupport>(incoming: &mut Incoming<S>) -> Option<ServiceRequest<S>> {
    incoming.next().now_or_never().flatten()
}

/// A client that has gone meanwhile is no fault of this node.
pub(crate) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
) {
    if let Err(error) = request.respond(response) {
        log::debug!("a client did not take its answer: {error}");
    }
}

/// The names below `prefixes`, at most `depth` dots deeper than the prefix; depth 0 is without limit.
fn list(set: &Set, prefixes: &[String], depth: u64) -> msg::ListParametersResult {
    let mut result = msg::ListParametersResult::default();
    for (name, ..) in set.iter() {
        let below = |prefix: &String| match name.strip_prefix(prefix.as_str()) {
            Some("") => Some(0),
            Some(rest) => rest.starts_with('.').then(|| rest.matches('.').count() as u64),
            None => None,
        };
        let dots = match prefixes {
            [] => Some(name.matches('.').count() as u64 + 1),
            prefixes => prefixes.iter().filter_map(below).min(),
        };
        if dots.is_some_and(|dots| depth == 0 || dots <= depth) {
            result.names.push(name.to_owned());
            if let Some((prefix, _)) = name.rsplit_once('.')
                && result.prefixes.last().map(String::as_str) != Some(prefix)
            {
                result.prefixes.push(prefix.to_owned());
            }
        }
    }
    result.prefixes.sort();
    result.prefixes.dedup();
    result
}

fn describe(name: &str, declaration: &Declaration) -> msg::ParameterDescriptor {
    let unit = if declaration.unit.is_empty() { String::new() } else { format!(" [{}]", declaration.unit) };
    let mut descriptor = msg::ParameterDescriptor {
        name: name.to_owned(),
        type_: to_wire(&declaration.kind.default()).type_,
        description: format!("{}{unit}", declaration.text),
        read_only: declaration.change == params::Change::AtStart,
        dynamic_typing: false,
        ..Default::default()
    };
    match declaration.kind {
        Kind::Integer { min, max, .. } | Kind::Integers { min, max, .. } => {
            descriptor.integer_range = vec![msg::IntegerRange { from_value: min, to_value: max, step: 0 }];
        }
        Kind::Float { min, max, .. } | Kind::Floats { min, max, .. } => {
            descriptor.floating_point_range =
                vec![msg::FloatingPointRange { from_value: min, to_value: max, step: 0.0 }];
        }
        Kind::Text { allowed, .. } | Kind::Texts { allowed, .. } if !allowed.is_empty() => {
            descriptor.additional_constraints = format!("one of: {}", allowed.join(", "));
        }
        Kind::Bool { .. } | Kind::Text { .. } | Kind::Texts { .. } => {}
    }
    descriptor
}

/// An empty list in a file arrives without a value; the declaration tells of what it is a list.
fn from_r2r(value: &ParameterValue) -> Value {
    match value.clone() {
        ParameterValue::Bool(v) => Value::Bool(v),
        ParameterValue::Integer(v) => Value::Integer(v),
        ParameterValue::Double(v) => Value::Float(v),
        ParameterValue::String(v) => Value::Text(v),
        ParameterValue::BoolArray(v) => Value::Bools(v),
        ParameterValue::ByteArray(v) => Value::Integers(v.into_iter().map(i64::from).collect()),
        ParameterValue::IntegerArray(v) => Value::Integers(v),
        ParameterValue::DoubleArray(v) => Value::Floats(v),
        ParameterValue::StringArray(v) => Value::Texts(v),
        ParameterValue::NotSet => Value::Texts(Vec::new()),
    }
}

fn from_wire(value: &msg::ParameterValue) -> Option<Value> {
    Some(match i64::from(value.type_) {
        1 => Value::Bool(value.bool_value),
        2 => Value::Integer(value.integer_value),
        3 => Value::Float(value.double_value),
        4 => Value::Text(value.string_value.clone()),
        5 => Value::Integers(value.byte_array_value.iter().map(|&b| i64::from(b)).collect()),
        6 => Value::Bools(value.bool_array_value.clone()),
        7 => Value::Integers(value.integer_array_value.clone()),
        8 => Value::Floats(value.double_array_value.clone()),
        9 => Value::Texts(value.string_array_value.clone()),
        _ => return None,
    })
}

fn to_wire(value: &Value) -> msg::ParameterValue {
    let mut wire = msg::ParameterValue::default();
    wire.type_ = match value {
        Value::Bool(v) => {
            wire.bool_value = *v;
            1
        }
        Value::Integer(v) => {
            wire.integer_value = *v;
            2
        }
        Value::Float(v) => {
            wire.double_value = *v;
            3
        }
        Value::Text(v) => {
            wire.string_value = v.clone();
            4
        }
        Value::Bools(v) => {
            wire.bool_array_value = v.clone();
            6
        }
        Value::Integers(v) => {
            wire.integer_array_value = v.clone();
            7
        }
        Value::Floats(v) => {
            wire.double_array_value = v.clone();
            8
        }
        Value::Texts(v) => {
            wire.string_array_value = v.clone();
            9
        }
    };
    wire
}
