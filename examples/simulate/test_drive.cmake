# SPDX-License-Identifier: BSD-3-Clause
# Tests of actuators, keyframes, --hold and the time step of files; included by test.cmake.

# A leg on a hinge: a motor on the hip, a position servo on the knee, keyframes; with further actuators.
function(write_leg file)
  set(inertial "<inertial pos='0 0 -0.25' mass='1' diaginertia='0.02 0.02 0.001'/>")
  file(WRITE "${FOLDER}/${file}" "<mujoco model='leg'><option timestep='0.002'/><worldbody>\n"
    "<body name='thigh'><joint name='hip' axis='0 1 0'/>${inertial}<body name='shin' pos='0 0 -0.5'><joint name='knee' axis='0 1 0'/>${inertial}</body></body>\n"
    "</worldbody><actuator>\n<motor name='hip_motor' joint='hip' gear='10' ctrlrange='-2 2'/><position name='knee_servo' joint='knee' kp='40' kv='2'/>${ARGN}\n"
    "</actuator>\n<keyframe><key name='bent' qpos='0.5 -1' qvel='0 0.25' ctrl='0 -1'/><key qpos='0.2 0'/></keyframe></mujoco>")
endfunction()
write_leg(leg.xml)

# The step of the file, and one that is given.
expect(0 leg.xml --duration 0.1 --json -)
string(JSON steps GET "${out}" steps)
string(JSON source GET "${out}" step_source)
string(JSON work TYPE "${out}" actuator_work)
string(JSON hold TYPE "${out}" hold)
require(steps EQUAL 50 AND source STREQUAL file AND err MATCHES "50 steps of 0.002 s, the time step of the file" AND work STREQUAL NUMBER AND hold STREQUAL NULL)
expect(0 leg.xml --duration 0.1 --step 1e-3 --json -)
string(JSON steps GET "${out}" steps)
string(JSON source GET "${out}" step_source)
require(steps EQUAL 100 AND source STREQUAL option AND NOT err MATCHES "time step of the file")
expect(0 arm.urdf --duration 0.01 --json -)
string(JSON source GET "${out}" step_source)
require(source STREQUAL default)
file(READ "${FOLDER}/pendulum.sdf" sdf)
string(REGEX REPLACE "(<sdf version='1.9'>)(.*)(</sdf>)" "\\1<world name='w'><physics type='ode'><max_step_size>0.005</max_step_size></physics>\\2</world>\\3" sdf "${sdf}")
file(WRITE "${FOLDER}/world.sdf" "${sdf}")
expect(0 world.sdf --duration 0.1)
require(out MATCHES "20 steps of 0.005 s, the time step of the file")

# Controls.
expect(0 leg.xml --duration 0.5 --gravity "0 0 0" --ctrl "hip_motor=0.1" --json -)
string(JSON hip GET "${out}" ctrl hip_motor)
string(JSON knee GET "${out}" ctrl knee_servo)
string(JSON work GET "${out}" actuator_work)
string(JSON kinetic GET "${out}" kinetic_energy_max)
require(hip EQUAL 0.1 AND knee EQUAL 0 AND work GREATER 0.1 AND err MATCHES "actuators *1 motor, 1 position, controls as given")
expect(0 leg.xml --duration 0.1 --ctrl 0.1 0.5 --json -)
string(JSON knee GET "${out}" ctrl knee_servo)
require(knee EQUAL 0.5)
expect(0 leg.xml --duration 0.1 --ctrl -0.1 -0.5 --json -)
string(JSON knee GET "${out}" ctrl knee_servo)
require(knee EQUAL -0.5)
expect(0 leg.xml --duration 0.1 --ctrl "hip_motor=5")
require(out MATCHES "the control 5 of hip_motor is limited to its range -2 to 2")
refuses("--ctrl: no entry 'knee_serv'; the entries are hip_motor, knee_servo; did you mean knee_servo" leg.xml --ctrl "knee_serv=1")
refuses("--ctrl has 3 numbers, expected 2: hip_motor knee_servo" leg.xml --ctrl "1 2 3")
refuses("--ctrl: arm.urdf has no actuators; --hold holds the start pose" arm.urdf --ctrl "1")

# Work and energy of a motor balance with every integrator: without loss, it becomes kinetic energy.
write_leg(motor.xml)
file(READ "${FOLDER}/motor.xml" text)
string(REGEX REPLACE "<position[^>]*>" "" text "${text}")
string(REPLACE "ctrl='0 -1'" "" text "${text}")
file(WRITE "${FOLDER}/motor.xml" "${text}")
foreach(integrator IN ITEMS euler heun rk4 riqn newton constant_cost variational variational4 variational6 extrapolation6 reversible maximal compliant srm)
  expect(0 motor.xml --integrator ${integrator} --step 1e-3 --duration 0.3 --gravity "0 0 0" --ctrl 0.1 --json - --fail-on-warning)
  string(JSON work GET "${out}" actuator_work)
  string(JSON kinetic GET "${out}" kinetic_energy_max)
  string(JSON error GET "${out}" energy_unaccounted_max)
  require(work GREATER 0.1 AND error LESS 0.02)
endforeach()

# Keyframes.
expect(0 leg.xml --keyframe bent --duration 0 --json -)
string(JSON hip GET "${out}" start q 0)
string(JSON rate GET "${out}" start v 1)
string(JSON knee GET "${out}" ctrl knee_servo)
require(hip EQUAL 0.5 AND rate EQUAL 0.25 AND knee EQUAL -1 AND err MATCHES "start *keyframe bent;" AND err MATCHES "controls of the keyframe")
expect(0 leg.xml --keyframe 1 --q "knee=0.3" --duration 0 --json -)
string(JSON hip GET "${out}" start q 0)
string(JSON knee GET "${out}" start q 1)
require(hip EQUAL 0.2 AND knee EQUAL 0.3)
refuses("--keyframe: no keyframe 'bend'; there are 2, from index 0: bent; did you mean bent" leg.xml --keyframe bend)
refuses("--keyframe: no keyframe '2'" leg.xml --keyframe 2)
refuses("--keyframe: arm.urdf has no keyframes" arm.urdf --keyframe 0)
refuses("two starts" leg.xml --keyframe 0 --random-state 1)
expect(0 leg.xml --describe)
require(out MATCHES "actuator hip_motor: motor on hip, gear 10, control -2 to 2\nactuator knee_servo: position on knee, kp 40, kv 2\nkeyframe 0: bent\nkeyframe 1\ntime step of the file: 0.002 s\n")

# Hold: with the servo of the file where there is one, at the start pose, within limits.
expect(0 leg.xml --hold --keyframe bent --v "0 0" --duration 3 --json -)
string(JSON moved GET "${out}" hold deviation_max)
string(JSON joint GET "${out}" hold deviating)
string(JSON servos LENGTH "${out}" hold servos)
string(JSON stiffness GET "${out}" hold servos 0 stiffness)
require(servos EQUAL 2 AND stiffness EQUAL 40 AND joint MATCHES "^knee$" AND moved LESS 0.1 AND moved GREATER 0.01)  # the file's own servo is soft
require(err MATCHES "hold: 2 servos of stiffness 40 to " AND err MATCHES "largest deviation *0.0[0-9]+ *\\(of a joint from the start, at knee\\)")
expect(0 leg.xml --duration 3 --q "0.5 -1" --gravity "0 0 0" --hold --ctrl "knee_servo=0.5" --csv moved.csv)  # a control replaces the target
file(STRINGS "${FOLDER}/moved.csv" rows)
list(GET rows -1 row)
require(row MATCHES "^3,0.[45][0-9]+,0.(5|49)")
foreach(integrator IN ITEMS euler heun rk4 riqn newton constant_cost variational variational4 variational6 extrapolation6 reversible maximal compliant srm)
  expect(0 "${humanoid}" --hold --integrator ${integrator} --step 5e-4 --duration 0.5 --json - --fail-on-warning)
  string(JSON moved GET "${out}" hold deviation_max)
  require(moved LESS 0.011)
endforeach()
expect(0 "${humanoid}" --hold --integrator variational4 --step 5e-4 --duration 0.01)
require(out MATCHES "variational4 takes no damping: the forces of actuators follow from the state at the beginning of each step")

# Effort limits bound the hold: the arm's elbow has 1 N m and carries about 5 N m when it is horizontal; a limit of 0 means that nothing drives it.
# The energy error is of second order, 5e-6 of the kinetic energy at 1 ms; a limit that is an input adds inertia in a step, and an error of 0.044.
expect(0 arm.urdf --hold --q "1.5708 0" --duration 1 --json -)
string(JSON moved GET "${out}" hold deviation_max)
string(JSON joint GET "${out}" hold deviating)
string(JSON error GET "${out}" energy_unaccounted_drift_max)
require(joint MATCHES "^elbow$" AND moved GREATER 0.5 AND error LESS 1e-4)
file(READ "${FOLDER}/arm.urdf" text)
string(REPLACE "effort='1'" "effort='0'" text "${text}")
file(WRITE "${FOLDER}/passive.urdf" "${text}")
expect(0 passive.urdf --hold --duration 0.1)
require(out MATCHES "not held: elbow \\(effort limit 0\\)")
file(WRITE "${FOLDER}/stone.urdf" "<robot name='stone'><link name='stone'><inertial><mass value='1'/>"
  "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>")
refuses("--hold: stone.urdf has no joint that can be held" stone.urdf --hold --floating-base)

# What is not supported is reported, or refused.
write_leg(tendon.xml "<motor name='pull' tendon='t'/>")
expect(2 tendon.xml --duration 0.1)  # the keyframe has two controls for three actuators
require(err MATCHES "tendon.xml:6: .*ctrl .*has 2 numbers")
file(READ "${FOLDER}/tendon.xml" text)
string(REPLACE "ctrl='0 -1'" "ctrl='0 -1 3'" text "${text}")
file(WRITE "${FOLDER}/tendon.xml" "${text}")
expect(0 tendon.xml --duration 0.1 --keyframe bent)
require(out MATCHES "repaired *line 4: <motor> 'pull': transmission by a tendon is not supported, only by a joint, ignored")
refuses("'pull'.*it can be loaded without --strict" tendon.xml --strict)

# A humanoid stands on the ground, by joints that its effort limits bound.
if(EXISTS "${SHARED}/robots/g1_29dof.urdf")
  expect(0 "${SHARED}/robots/g1_29dof.urdf" --floating-base --ground 1e6 1e3 0.8 --hold --duration 3 --json - --fail-on-warning)
  string(JSON moved GET "${out}" hold deviation_max)
  require(moved LESS 0.01)
  foreach(ground IN ITEMS "rigid 0.8" "1e6 0 0.8")
    expect(0 "${SHARED}/robots/g1_29dof.urdf" --floating-base --ground "${ground}" --integrator variational --hold --duration 0.3 --json - --fail-on-warning)
    string(JSON moved GET "${out}" hold deviation_max)
    string(JSON error GET "${out}" energy_unaccounted_max)
    require(moved LESS 0.002 AND error LESS 0.001)
  endforeach()
  expect(0 "${SHARED}/robots/anymal_c.urdf" --floating-base --ground "rigid 0.8" --lift 0.5 --integrator variational --hold --duration 1 --json - --fail-on-warning)
  string(JSON failed GET "${out}" failed_steps)
  string(JSON error GET "${out}" energy_unaccounted_drift_max)
  require(failed EQUAL 0 AND error LESS 0.005)  # its servos bear the impact at their limits
else()
  message("the collection of robots is absent: no humanoid stands")
endif()
