// SPDX-License-Identifier: BSD-3-Clause
// Where the numbers are from: about.md.
#include "mechanisms.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/QR>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"

namespace mechanisms {

namespace {

using actio::BodyIndex;
using actio::KinematicsData;
using actio::Vector3;

const std::string models = std::string(MECHANISMS_MODELS) + "/";
Model read(const std::string& name) { return actio::read_sdf(models + name + ".sdf").model; }
Model read_with_springs(const std::string& name) { return actio::read_mjcf(models + name + ".xml").model; }

/// A point of a body, in its frame.
struct Point {
  BodyIndex body;
  Vector3<double> p;
};
/// Returns the positions and velocities of points in the world.
Sample points(const Model& model, const State& x, const std::vector<Point>& wanted) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, x.q, x.v);
  Sample sample;
  for (const auto& [body, p] : wanted) {
    const Vector3<double> at = data.T_WB[body] * p;
    const Vector3<double> v = data.T_WB[body].R * (data.V[body].tail<3>() + data.V[body].head<3>().cross(p));
    sample.q.insert(sample.q.end(), at.begin(), at.end());
    sample.v.insert(sample.v.end(), v.begin(), v.end());
  }
  return sample;
}

Mechanism pendulum() {
  const Model model = read("pendulum");
  Mechanism a01{.name = "A01 pendulum", .file = "pendulum", .model = model, .start = rest_state(model)};
  a01.measure = [](const State& x) {
    const double q = x.q[0], w = x.v[0];
    return Sample{0, {std::cos(q), std::sin(q)}, {-w * std::sin(q), w * std::cos(q)}};
  };
  a01.references = {{1, {-0.9862917511318753, -0.1650108531255412}, {-0.2969055159163158, 1.7746436411126556}},
                    {10, {0.2750874625761190, -0.9614192050991244}, {-4.1755981009517258, -1.1947490545604846}},
                    {100, {0.1815133514271702, -0.9833884803340319}, {-4.3195367805344990, -0.7972979278559608}},
                    {2000, {-0.8146030685920672, -0.5800188278326729}, {1.9566477078610986, -2.7479991174305473}}};
  a01.shared = 10;
  a01.recommended = {"variational, order 6", 0.004};
  a01.step = 0.004;
  a01.cheap = {"variational, order 4", 0.05};
  a01.cheap_duration = 2000;
  a01.published = "0.637";
  return a01;
}

Mechanism four_bars(int windows, const std::vector<Sample>& references) {
  const Model model = read("four_bars_" + std::to_string(windows));
  Mechanism a02{.name = "A02 four-bars, N = " + std::to_string(windows),
                .file = "four_bars_" + std::to_string(windows),
                .model = model,
                .start = rest_state(model)};
  // Uprights turn to +x, where the upper end of the first has 1 m/s; what lies across does not turn.
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) a02.start.v[model.v_index(i)] = model.parent(i) == 0 ? -1 : 1;
  const Eigen::Index first = model.q_index(model.find_body("upright0"));
  a02.measure = [first](const State& x) {
    const double theta = -x.q[first];
    return Sample{0, {std::sin(theta), std::cos(theta), theta}, {-x.v[first]}};
  };
  a02.references = references;
  a02.shared = 10;
  a02.recommended = {"variational, order 6", 0.005};
  a02.cheap_duration = 10;
  return a02;
}
Mechanism two_windows() {
  Mechanism a02 = four_bars(2, {{0.5, {0.6952866331644005, 0.7187325634357416, 0.7688186275552060}, {2.7273084942770730}},
                                {1, {-0.1950203019494352, -0.9807992056621738, 3.3378708031050978}, {6.8073852408694452}},
                                {2, {0.0578157957680076, 0.9983272678634557, 6.3410333613123277}, {1.0189645914385250}},
                                {5, {-0.8113104610050776, -0.5846155453490169, 16.6543534866534317}, {6.1050675535196963}},
                                {10, {0.3284581115407540, 0.9445185381786223, 31.7505971869860368}, {1.5066421808416560}}});
  a02.step = 0.005;
  a02.cheap = {"variational, order 4", 0.02};
  a02.published = "0.455";
  return a02;
}
Mechanism forty_windows() {  // by a Taylor series of order 30 with 30 digits
  Mechanism a02 = four_bars(40, {{0.5, {0.687925970790772634, 0.725780861356630867, 0.758627516082763194}, {2.658050678918081}},
                                 {1, {-0.115356880632109898, -0.993324111300450186, 3.257206924909813428}, {6.714814880723563}},
                                 {2, {0.034466307300407162, 0.999405860329562956, 6.317658442036116848}, {1.006549203626231}},
                                 {5, {-0.540190050675526274, -0.841543052464443055, 16.278626196934978}, {6.460001180757471}},
                                 {10, {0.180512226686728390, 0.983572740582311575, 31.597433743985738}, {1.167622108751707}}});
  a02.step = 0.02;
  a02.shown_in_short = false;
  return a02;
}

Mechanism andrews() {
  const Model resting = read_with_springs("andrews");
  const BodyIndex crank = resting.find_body("K1");
  actio::ModelProperties<double> properties = resting.properties();
  properties.force[resting.v_index(crank)] = 0.033;  // the motor's torque
  const Model model = resting.with_properties(properties);
  Mechanism a03{.name = "A03 Andrews' squeezer", .file = "andrews", .model = model, .start = rest_state(model)};
  // In the order beta, Theta, gamma, Phi, delta, Omega, epsilon; the file is in the initial pose.
  constexpr const char* names[] = {"K1", "K2", "K3", "K4", "K5", "K6", "K7"};
  constexpr double start[] = {-0.0617138900142764496, 0,                     0.455279819163070380, 0.222668390165885885,
                              0.487364979543842550,  -0.222668390165885885, 1.23054744454982119};
  a03.measure = [=](const State& x) {
    Sample sample;
    for (std::size_t k = 0; k < 7; ++k) {
      const BodyIndex i = model.find_body(names[k]);
      sample.q.push_back(start[k] + x.q[model.q_index(i)]);
      sample.v.push_back(x.v[model.v_index(i)]);
    }
    return sample;
  };
  a03.references = {
      {0.005,
       {2.110763859032667e-01, -2.015871709340801e-01, 4.491151900115145e-01, 2.102507979300145e-01, 4.887437654619352e-01,
        -2.102507979300145e-01, 1.225866794034907e+00},
       {1.510107012692343e+02, -1.104673331143686e+02, -6.682659880912360e+00, -1.342712580493229e+01, 1.478527769839690e+00,
        1.342712580493229e+01, -5.044979345042519e+00}},
      {0.01,
       {2.160113131531527e+00, -1.883364231107044e+00, 1.585167580012267e-01, -3.286410751746703e-01, 5.251547747977296e-01,
        3.286410751746703e-01, 1.068427204632401e+00},
       {7.119231528311040e+02, -7.867700808599398e+02, -1.364381913781197e+02, -2.402930292678646e+02, 4.791548225371073e+00,
        2.402930292678646e+02, -4.114056696161051e+01}},
      {0.03,
       {1.581077119515374e+01, -1.575637105841188e+01, 4.082224011964665e-02, -5.347301163420804e-01, 5.244099658799543e-01,
        5.347301163420796e-01, 1.048080741041938e+00},
       {1.139920302259106e+03, -1.424379295177539e+03, 1.103291191062699e+01, 1.929337410504657e+01, 5.735699148299568e-01,
        -1.929337410504665e+01, 3.231791492494475e-01}}};
  a03.shared = 0.03;
  a03.recommended = {"variational, order 6", 0.00005};
  a03.step = 0.00005;
  a03.cheap = {"variational, order 4", 0.0001};
  a03.cheap_duration = 0.03;
  a03.in_place_of_energy = 1e-4;
  a03.published = "0.384";
  return a03;
}

Mechanism governor() {
  const Model model = read_with_springs("governor");
  Mechanism a05{.name = "A05 flyball governor", .file = "governor", .model = model, .start = rest_state(model)};
  const auto q = [&](const char* joint) { return model.q_index(model.find_joint(joint)); };
  const auto v = [&](const char* joint) { return model.v_index(model.find_joint(joint)); };
  a05.start.v[v("spin")] = 2 * std::numbers::pi;
  const Eigen::Index slide = q("slide"), arm = q("right"), spin = v("spin"), slide_rate = v("slide");
  a05.measure = [=](const State& x) {
    return Sample{0, {0.5 + x.q[slide], std::numbers::pi / 6 + x.q[arm]}, {x.v[spin], x.v[slide_rate]}};
  };
  a05.references = {{0.1, {0.52383647556958, 0.49617386907590}, {6.10371780883086, 0.45927181043613}},
                    {0.5, {0.74324942478633, 0.25949138154341}, {5.10341542197154, 0.05211978015837}},
                    {1, {0.50142092237957, 0.52183330162555}, {6.27112574187655, -0.12215149289773}},
                    {10, {0.61962291706137, 0.39007370184465}, {5.54820362265493, -0.74760335416433}}};
  a05.shared = 1;
  a05.recommended = {"rk4", 0.0001};
  a05.step = 0.0002;
  a05.cheap = {"variational", 0.00125};
  a05.cheap_duration = 10;
  a05.in_place_of_energy = 1e-4;
  a05.published = "0.233";
  return a05;
}

Mechanism bricard() {
  const Model model = read("bricard");
  Mechanism a04{.name = "A04 Bricard", .file = "bricard", .model = model, .start = rest_state(model)};
  const BodyIndex second = model.find_body("bar2"), third = model.find_body("bar3");
  // The far ends of two bars; a body's frame is at the joint that carries it.
  a04.measure = [model, second, third](const State& x) {
    Sample sample = points(model, x, {{second, {0, -1, 0}}, {third, {0, 0, 1}}});
    sample.v.clear();  // there are no reference values
    return sample;
  };
  a04.references = {{0.25, {0.940056968341, -0.998308063961, -0.058146448137, 0.998092502259, -1.059939798481, 0.938263811798}, {}},
                    {0.5, {0.774717808039, -0.979815047656, -0.199906158953, 0.968283679107, -1.224625159436, 0.750146609438}, {}},
                    {1, {0.274481319265, -0.886707938735, -0.462330002687, 0.510501461187, -1.649167599395, 0.140123114553}, {}},
                    {2, {-0.778135373033, -0.980352683443, -0.197252670617, -0.969340344778, -1.221246894956, 0.754278010780}, {}},
                    {5, {0.999932742302, -0.999999997738, -0.000067255436, 0.999999997738, -1.000067257698, 0.999932740040}, {}}};
  a04.shared = 5;
  a04.recommended = {"variational, order 6", 0.01};
  a04.step = 0.01;
  a04.cheap = {"variational", 0.0125};
  a04.cheap_duration = 10;
  a04.published = "0.258";
  return a04;
}

Mechanism slider_crank() {
  const Model model = read("slider_crank");
  Mechanism crank{.name = "spatial slider-crank", .file = "slider_crank", .model = model, .start = rest_state(model)};
  const auto v = [&](const char* joint) { return model.v_index(model.find_joint(joint)); };
  crank.start.v[v("crank_hinge")] = 6;
  crank.start.v.segment<3>(v("ball")) << 1.92 - 6, -0.96, 0.48;  // of the rod relative to the crank
  crank.start.v[v("slide")] = 0.24;
  const Eigen::Index theta = model.q_index(model.find_joint("crank_hinge")), x = model.q_index(model.find_joint("slide"));
  const Eigen::Index rate = v("crank_hinge"), slide = v("slide");
  crank.measure = [=](const State& s) { return Sample{0, {s.q[theta], 0.2 + s.q[x]}, {s.v[rate], s.v[slide]}}; };
  crank.references = {{0.1, {0.560031482093039988, 0.226787188552919102}, {5.828888134654305465, 0.305277006934754004}},
                      {0.25, {1.947854837581348511, 0.284860002920947907}, {18.607236332293022090, 0.390625131547664540}},
                      {0.5, {5.583762553307304398, 0.184952629777802629}, {14.408160810200375754, -0.004560290632515601}},
                      {1, {10.913590729864667999, 0.211721661393443778}, {10.427593000412048351, -0.503491864925010031}},
                      {2, {21.072744522776476524, 0.289085197067141782}, {22.584240027832470034, 0.216539423453435297}},
                      {3, {32.008327755757195405, 0.228484813697928727}, {5.916170357808075546, 0.310639621939833783}},
                      {5, {54.333332168313165079, 0.240719573729615316}, {11.494996265042086607, -0.595984412044936221}}};
  crank.shared = 5;
  crank.recommended = {"variational, order 6", 0.00125};
  crank.step = 0.00125;
  crank.cheap = {"variational", 0.002};
  crank.cheap_duration = 5;
  return crank;
}

Mechanism heavy_top() {
  const Model model = read("heavy_top");
  Mechanism top{.name = "heavy top", .file = "heavy_top", .model = model, .start = rest_state(model)};
  top.start.v << 0, 150, -4.61538;
  top.measure = [model](const State& x) { return points(model, x, {{1, {0, 1, 0}}}); };
  top.references = {
      {0.1,
       {0.421296658925402044, 0.894571974345592991, -0.149164700561899612},
       {3.408537463339653706, -2.083437950579386265, -2.867835045006231433}},
      {0.5,
       {-0.702468297056585589, -0.021165184701923327, -0.711400257651734406},
       {-4.044981892584063958, 1.774288479357036747, 3.941407622740589918}},
      {1,
       {0.173343964098386043, 0.640088592070568783, -0.748490791133581309},
       {0.570825303425487145, -4.588728296334951894, -3.791955154710042105}},
      {2,
       {-0.150416822745641760, -0.724165591636895651, -0.673022269560444096},
       {-2.749186312581890070, -3.202718635574885479, 4.060523149756693341}}};
  top.shared = 2;
  top.recommended = {"variational, order 6", 0.001};
  top.step = 0.001;
  top.cheap = {"variational, order 6", 0.002};
  top.cheap_duration = 2;
  return top;
}

Mechanism riding_bicycle() {
  const Model model = bicycle();
  Mechanism a06{.name = "A06 bicycle", .file = "bicycle", .model = model, .start = riding(model, 4.6, 0.5)};
  a06.measure = [model](const State& x) {
    Sample sample = points(model, x, {{model.find_body("rear_wheel"), {0, 0, 0}}});
    const actio::VectorX<double> lean = lean_and_steer(model, x);
    sample.q.insert(sample.q.end(), {lean[0], lean[1]});
    sample.v.insert(sample.v.end(), {lean[2], lean[3]});
    return sample;
  };
  a06.references = {{1, {}, {}}, {2, {}, {}}, {5, {}, {}}};  // of a run with half the step
  a06.shared = 5;
  a06.recommended = {"maximal, order 6", 0.005};
  a06.step = 0.005;
  a06.cheap = {"maximal", 0.01};
  a06.cheap_duration = 5;
  KinematicsData<double> data(model);
  a06.energy_limit = 1e-5 * energy(model, data, a06.start.q, a06.start.v).total();
  a06.published = "0.596";
  return a06;
}

constexpr double tilt = std::numbers::pi / 10, base = 1.02, trail = 0.08, rear = 0.3, front = 0.35;

}  // namespace

Model bicycle() {
  const Model model = read("bicycle");
  const auto wheel = [&](const char* body, double radius) {
    return actio::Nonholonomic<double>{
        .name = body, .body = model.find_body(body), .type = actio::Rolling<double>{.radius = radius, .axle = {0, 1, 0}}};
  };
  return model.with_nonholonomic({wheel("rear_wheel", rear), wheel("front_wheel", front)});
}

State riding(const Model& bicycle, double speed, double lean_rate, double lean, double steer, double steer_rate) {
  State x = rest_state(bicycle);
  const BodyIndex frame = bicycle.find_body("frame");
  const auto q = [&](const char* joint) { return bicycle.q_index(bicycle.find_joint(joint)); };
  const auto v = [&](const char* joint) { return bicycle.v_index(bicycle.find_joint(joint)); };
  // It leans about the line through the contact points, which is the x axis.
  const Vector3<double> centre = bicycle.placement(frame).p;  // at rest
  const Eigen::AngleAxisd turned(lean, Vector3<double>::UnitX());
  x.q.segment<3>(bicycle.q_index(frame)) = turned * centre - centre;
  x.q.segment<4>(bicycle.q_index(frame) + 3) = Eigen::Quaterniond(turned).coeffs();
  x.q[q("steering")] = steer;
  const double yaw_rate = (speed * steer + trail * steer_rate) * std::cos(tilt) / base;  // the front wheel does not slide sideways
  const Vector3<double> w(lean_rate, 0, yaw_rate);
  x.v.segment<3>(bicycle.v_index(frame)) = w;
  x.v.segment<3>(bicycle.v_index(frame) + 3) = Vector3<double>(speed, 0, 0) + w.cross(centre);
  x.v[v("steering")] = steer_rate;
  x.v[v("rear_hub")] = speed / rear;
  x.v[v("front_hub")] = speed / front;
  return x;
}

actio::VectorX<double> lean_and_steer(const Model& bicycle, const State& x) {
  const BodyIndex frame = bicycle.find_body("frame"), steering = bicycle.find_joint("steering");
  KinematicsData<double> data(bicycle);
  forward_kinematics(bicycle, data, x.q, x.v);
  const double lean = std::asin(data.T_WB[frame].R(2, 1));
  return Eigen::Vector4d(lean, x.q[bicycle.q_index(steering)], x.v[bicycle.v_index(frame)], x.v[bicycle.v_index(steering)]);
}

actio::Pose<double> pose_of(const Model& model, const State& x, const std::string& body) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, x.q);
  return data.T_WB[model.find_body(body)];
}

std::pair<actio::VectorX<double>, actio::VectorX<double>> constrained_accelerations(const Model& model, const State& x) {
  using Eigen::MatrixXd, Eigen::VectorXd;
  const Eigen::Index n = model.nv();
  actio::detail::TreeClosures<Model> rows(model);
  actio::TreePose<double> tree(model);
  const auto place_at = [&](const VectorXd& q) {
    auto rotations = rows.make_rotations();
    place(model, tree, q);
    rows.place(tree, rotations);
  };
  const auto rate_at = [&](double t) {  // G(q (+) t v) v
    VectorXd rate(rows.size());
    place_at(model.integrate(x.q, t * x.v));
    rows.rates(tree, x.v, rate);
    return rate;
  };
  // Differences of sixth order; the joints turn about fixed axes, so that v is also the velocity of q (+) t v.
  const double t = 3e-3 / (1 + x.v.cwiseAbs().maxCoeff());
  const auto apart = [&](int k) { return VectorXd(rate_at(k * t) - rate_at(-k * t)); };
  const VectorXd change = (45 * apart(1) - 9 * apart(2) + apart(3)) / (60 * t);
  place_at(x.q);
  actio::CrbaData<double> composite(model);
  actio::RneaData<double> inverse(model);
  KinematicsData<double> data(model);
  forward_kinematics(model, data, x.q, x.v);
  actio::BodyArray<actio::Vector6<double>> F(model.num_bodies(), actio::Vector6<double>::Zero());
  actio::detail::add_point_wrenches<double>(model, data.T_WB, &data.V, F, [](std::size_t) { return true; });
  VectorXd force = model.properties().force - rnea(model, inverse, x.q, x.v, VectorXd::Zero(n));
  add_wrench_forces(model, data.tree, F, force);
  MatrixXd matrix = MatrixXd::Zero(n + rows.size(), n + rows.size());
  matrix.topLeftCorner(n, n) = crba(model, composite, x.q);
  for (Eigen::Index k = 0; k < rows.size(); ++k) {
    VectorXd row(n);
    rows.covector(tree, k, row);
    matrix.row(n + k).head(n) = row.transpose();
    matrix.col(n + k).head(n) = -row;
  }
  VectorXd right(matrix.rows());
  right << force, -change;
  const VectorXd both = matrix.completeOrthogonalDecomposition().solve(right);  // rows out of the plane are zero
  return {both.head(n), both.tail(rows.size())};
}

std::vector<Mechanism> all() {
  return {pendulum(), two_windows(), forty_windows(), andrews(), bricard(), governor(), slider_crank(), heavy_top(), riding_bicycle()};
}

}  // namespace mechanisms
