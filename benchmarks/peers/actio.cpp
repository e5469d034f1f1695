// SPDX-License-Identifier: BSD-3-Clause
// This library. The program also writes the file that the others read, by peer_actio --write chain|humanoid|quadruped N FILE. It has
// algorithms that the others lack, each a step of a millisecond, whose check is the number of steps that failed:
//   variational            from two seconds after the start in state 0 on, in violent motion; chains start at rest
//   variational_released   in the first second after the release of a chain from horizontal
//   compliant_on_ground    of a humanoid that has fallen to the ground, with joint limits enforced
#include "actio/contacts/plane.hpp"
#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/version.hpp"

#include "run.hpp"
#include "support/motion.hpp"
#include "support/scenes.hpp"

namespace {

using namespace actio;
using Tree = Model<double>;

/// Returns a model without the inertia of rotors, which not all libraries have.  @throws peers::Unsupported
Tree make_model(const std::string& name, int n) {
  const auto without_rotors = [](const Tree& model) {
    ModelProperties<double> properties = model.properties();
    properties.armature.setZero();
    return model.with_properties(properties);
  };
  if (name == "chain") return models::revolute_chain(n);
  if (name == "humanoid") return without_rotors(models::humanoid());
  if (name == "quadruped") return without_rotors(models::quadruped());
  throw peers::Unsupported("has no model '" + name + "'");
}

State<double> start_of(const Tree& model) {
  State<double> state = rest_state(model);
  state.q = models::random_configuration(model, 1, std::numbers::pi / 2);
  state.v = models::random_velocity(model, 2);
  return state;
}

template <class Numbers>
void copy(const Numbers& from, double* to) { std::copy(from.begin(), from.end(), to); }

peers::Tree description(const std::string& name, int n) {
  const Tree model = make_model(name, n);
  const State<double> start = start_of(model);
  const Eigen::VectorXd a = models::random_velocity(model, 3), small = Eigen::VectorXd::Constant(model.nv(), 1e-9);
  const std::array<Eigen::VectorXd, 2> q{start.q, model.integrate(start.q, small)}, v{start.v, start.v + small};
  peers::Tree tree{name, n, {}, {}};
  copy(model.gravity(), tree.gravity.data());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    peers::Link link;
    link.parent = static_cast<int>(model.parent(i)) - 1;
    const Pose<double>& placement = model.placement(i);
    copy(placement.p, link.position.data());
    copy(Eigen::Matrix3d(placement.R.transpose()).reshaped(), link.rotation.data());
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      if constexpr (std::same_as<J, Revolute<double>>) link.joint = "revolute";
      else if constexpr (std::same_as<J, Universal<double>>) link.joint = "universal";
      else if constexpr (std::same_as<J, Spherical<double>>) link.joint = "ball";
      else if constexpr (std::same_as<J, Free<double>>) link.joint = "floating";
      else throw ModelError("joint '" + model.joint_name(i) + "': its type is not part of the description");
      if constexpr (requires { joint.axis(); }) copy(joint.axis(), link.axis.data());
      if constexpr (requires { joint.axis2(); }) copy(joint.axis2(), link.axis2.data());
    });
    const Inertia<double>& inertia = model.inertia(i);
    link.mass = inertia.mass;
    copy(inertia.com, link.com.data());
    const Eigen::Matrix3d& about_com = inertia.I_com;
    link.inertia = {about_com(0, 0), about_com(1, 1), about_com(2, 2), about_com(0, 1), about_com(0, 2), about_com(1, 2)};
    for (std::size_t k = 0; k < 2; ++k) {
      copy(q[k].segment(model.q_index(i), model.nq(i)), link.q[k].data());
      copy(v[k].segment(model.v_index(i), model.nv(i)), link.v[k].data());
    }
    copy(a.segment(model.v_index(i), model.nv(i)), link.a.data());
    tree.links.push_back(link);
  }
  return tree;
}

/// See peers::measure. The model is made from the name in the file; the states are those of the file, whose entries have our order.
class Library {
 public:
  explicit Library(const peers::Tree& tree)
      : model_(make_model(tree.name, tree.size)), aba_(model_), rnea_(model_), euler_(model_), begin_(euler_.make_memory()) {
    const State<double> start = start_of(model_);
    for (std::size_t k = 0; k < 2; ++k) q_[k] = start.q, v_[k] = start.v;
    a_ = zero_ = Eigen::VectorXd::Zero(model_.nv());
    for (BodyIndex i = 1; i < model_.num_bodies(); ++i) {
      const peers::Link& link = tree.links[static_cast<std::size_t>(i - 1)];
      for (std::size_t k = 0; k < 2; ++k) {
        std::copy_n(link.q[k].begin(), model_.nq(i), q_[k].begin() + model_.q_index(i));
        std::copy_n(link.v[k].begin(), model_.nv(i), v_[k].begin() + model_.v_index(i));
      }
      std::copy_n(link.a.begin(), model_.nv(i), a_.begin() + model_.v_index(i));
    }
    begin_.q = q_[0];
    begin_.v = v_[0];
  }

  void use(int k) { k_ = static_cast<std::size_t>(k); }
  void aba() { static_cast<void>(actio::aba(model_, aba_, q_[k_], v_[k_], zero_)); }
  void rnea() { actio::rnea(model_, rnea_, q_[k_], v_[k_], a_); }
  void restart() { euler_.restore(begin_); }
  void step() { static_cast<void>(euler_.step({}, peers::time_step)); }
  double accelerations() const { return norm(aba_.a); }
  double forces() const { return norm(rnea_.tau); }
  double velocities() {
    State<double> state = rest_state(model_);
    static_cast<void>(euler_.read(state));
    return norm(state.v);
  }

 private:
  /// A floating joint is the first, with its angular part before the linear one.
  double norm(Eigen::VectorXd x) const {
    if (is_joint<Free<double>>(model_, 1)) x.segment<3>(3).setZero();
    return x.norm();
  }

  Tree model_;
  AbaData<double> aba_;
  RneaData<double> rnea_;
  SemiImplicitEuler<Tree> euler_;
  SemiImplicitEuler<Tree>::Memory begin_;
  std::size_t k_ = 0;
  std::array<Eigen::VectorXd, 2> q_, v_;
  Eigen::VectorXd a_, zero_;
};

template <class Motion>
void measure_steps(Motion&& motion, double seconds) {
  int failed = 0;
  const auto step = [&](int) {
    if (!motion.goes_on()) motion.restart();
    if (!motion.step()) {
      ++failed;
      motion.restart();
    }
  };
  const double time = peers::nanoseconds(step, seconds);
  peers::print(time, failed);
}

/// Measures the steps of an integrator of ours.  @returns whether it is one of them.
bool measured_step(const peers::Tree& tree, const std::string& algorithm, double seconds) {
  using Variational = bench::Motion<VariationalIntegrator<Tree>>;
  const auto make = [](const Tree& model) { return VariationalIntegrator(model); };
  const bool chain = tree.name == "chain", released = algorithm == "variational_released";
  if (algorithm == "variational" || (released && chain)) {
    const auto begin = [&](const Tree& model) {
      State<double> state = start_of(model);
      if (released) state.q = models::horizontal(model);
      if (chain) state.v.setZero();
      return state;
    };
    const bench::Phase phase = released ? bench::Phase::released : bench::Phase::under_way;
    measure_steps(Variational(make_model(tree.name, tree.size), begin, phase, peers::time_step, make), seconds);
    return true;
  }
  if (algorithm == "compliant_on_ground" && tree.name == "humanoid") {
    measure_steps(bench::SceneMotion(bench::humanoids_on_ground(1), peers::time_step), seconds);
    return true;
  }
  return false;
}

std::string version() {
  std::string text = "actio";
  char separator = ' ';
  for (const int part : {ACTIO_VERSION_MAJOR, ACTIO_VERSION_MINOR, ACTIO_VERSION_PATCH}) {
    text += separator + std::to_string(part);
    separator = '.';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 5 && std::string(argv[1]) == "--write") {
      peers::write(description(argv[2], std::stoi(argv[3])), argv[4]);
      return 0;
    }
    if (argc == 4 && measured_step(peers::read(argv[1]), argv[2], std::stod(argv[3]))) return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return peers::run<Library>(argc, argv, version());
}
