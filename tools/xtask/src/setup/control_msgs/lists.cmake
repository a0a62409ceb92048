cmake_minimum_required(VERSION 3.20)
project(control_msgs)

find_package(ament_cmake REQUIRED)
find_package(action_msgs REQUIRED)
find_package(builtin_interfaces REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(std_msgs REQUIRED)
find_package(trajectory_msgs REQUIRED)

rosidl_generate_interfaces(
  ${PROJECT_NAME}
  "action/FollowJointTrajectory.action"
  "msg/JointComponentTolerance.msg"
  "msg/JointTolerance.msg"
  DEPENDENCIES
  action_msgs
  builtin_interfaces
  std_msgs
  trajectory_msgs)

ament_export_dependencies(rosidl_default_runtime)
ament_package()
