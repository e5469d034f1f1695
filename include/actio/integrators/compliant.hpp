// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stiff springs and dampers, limits, loops and frictional contact, stable at any stiffness.
#include <algorithm>
#include <concepts>
#include <utility>
#include <variant>

#include "actio/integrators/compliant_forest.hpp"
#include "actio/integrators/compliant_rows.hpp"
#include "actio/integrators/compliant_tree.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/momentum_balance.hpp"
#include "actio/integrators/require_inertia.hpp"
#include "actio/integrators/straight_motion.hpp"
#include "actio/model/capabilities.hpp"
#include "actio/solvers/cone_newton.hpp"
#ifdef ACTIO_PRECOMPILED
#include "actio/contacts/plane.hpp"
#endif

namespace actio {

/// One step of implicit Euler in the constraints and of semi-implicit Euler in the bodies: constraints are springs and dampers taken at
/// the end of the step, whose rates follow from one Newton iteration in the bodies' velocities; then all goes straight on for h. First
/// order, stable for any stiffness and damping while bodies turn by less than about a radian a step; impacts are plastic where the step is
/// longer than they last.                                           [Drumwright 2019; compliant_math.md, sections 2.1, 4.1 and 5.2]
/// Joint damping and springs of flat joints are implicit too; inputs are those at the beginning of the step.
/// @tparam Contacts a ContactSource.
template <class ModelType, class Contacts = NoContacts>
class CompliantIntegrator {
 public:
  using Model = ModelType;
  using Scalar = typename Model::Scalar;
  using Options = CompliantOptions<Scalar>;
  static_assert(std::floating_point<Scalar>, "compliant runs in float and double: pieces of a cone have no use for derivatives of other scalars");
  static constexpr int order = 1;
  static constexpr bool reversible = false;

  struct Memory {
    State<Scalar> state;
    VectorX<Scalar> lambda;                ///< forces of the last step's rows, the next one's guess
    std::vector<std::uint64_t> row_ids;    ///< whose they were
    std::size_t num_rows = 0;
  };

  /// @param model outlives the integrator.  @throws ModelError when a joint moves no mass, or contact is enforced without a source of
  /// contacts; OptionsError when an option is out of range.
  explicit CompliantIntegrator(const Model& model, const Options& options = {}, Contacts contacts = {})
      : model_(&model), options_((options.check(), options)), node_(blank_memory(model, options)), next_(node_),
        bodies_(make_bodies(model, options)), rows_(model, options, std::move(contacts)), newton_(model.nv(), node_.lambda.size()), balance_(model),
        v_free_(VectorX<Scalar>::Zero(model.nv())), work_(v_free_) {
    constexpr bool finds_contacts = !std::same_as<Contacts, NoContacts>;
    require_support(model, {.loops = true, .couplings = true, .limits = true, .friction = true, .contact = finds_contacts}, "compliant");
    require_inertia(model, "compliant");
  }
  explicit CompliantIntegrator(Model&&, const Options& = {}, Contacts = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }
  const Options& options() const noexcept { return options_; }
  const VectorX<Scalar>& configuration() const noexcept { return node_.state.q; }
  Scalar time() const noexcept { return node_.state.time; }

  void reset(const State<Scalar>& x) {
    detail::require_state(*model_, x);
    node_.state = x;
    node_.num_rows = 0;
    has_step_ = false;
  }
  Status read(State<Scalar>& state) noexcept {
    state = node_.state;
    return Status::converged;
  }

  // Of the last step, if that went well: nothing below is of use after one that failed, a reset or a restore.
  std::span<const ContactPoint<Scalar>> contacts() const noexcept { return rows_.contacts(); }  ///< materials are valid until the next copy
  const ConeRows<Scalar>& rows() const noexcept { return problem_rows(); }                      ///< contacts behind all others
  auto row_forces() const noexcept { return node_.lambda.head(static_cast<Eigen::Index>(node_.num_rows)); }  ///< [N, N m]

  bool has_step() const noexcept { return has_step_; }                          ///< and its law is the one asked for
  const State<Scalar>& step_begin() const noexcept { return next_.state; }      ///< its time is not
  const VectorX<Scalar>& step_velocity() const noexcept { return v_free_; }     ///< v1, with the joints' axes at the step's beginning
  std::uint64_t row_id(std::size_t row) const noexcept { return rows_.id(row); }
  /// f(bodies, v1 in the order of bodies.problem()).
  template <class F>
  decltype(auto) visit_step(F&& f) noexcept {
    return std::visit([&](auto& bodies) { return f(bodies, std::as_const(work_)); }, bodies_);
  }

  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    result.method = Method::cone;
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
    if (!result) return result;
    has_step_ = false;
    std::visit([&](auto& bodies) { step(bodies, input, h, result); }, bodies_);
    has_step_ = result.status == Status::converged && !result.relaxed;
    return result;
  }

  Memory make_memory() const { return node_; }
  void save(Memory& memory) const noexcept { memory = node_; }
  void restore(const Memory& memory) noexcept {
    node_ = memory;
    has_step_ = false;
  }

 private:
  using Tree = CompliantTree<Model>;
  using Forest = CompliantForest<Model>;
  using Rows = CompliantRows<Model, Contacts>;
  /// Blocks where there are several trees, small in the mean: piles, with a robot among them or not.
  static std::variant<Tree, Forest> make_bodies(const Model& model, const Options& options) {
    const std::size_t trees = Forest::num_trees(model);
    const bool is_pile = trees > 1 && static_cast<std::size_t>(model.nv()) <= 12 * trees;
    const bool is_forest = options.bodies == CompliantBodies::automatic ? is_pile : options.bodies == CompliantBodies::blocks;
    const std::size_t rows = Rows::capacity(model, options), ties = Rows::tie_capacity(model, options);
    if (!is_forest) return Tree(model, rows, ties);
    const std::size_t pairs = trees * (trees - std::min(trees, std::size_t(1))) / 2;  // that there are
    return Forest(model, rows, std::min(pairs, ties + options.fill_capacity));
  }
  static Memory blank_memory(const Model& model, const Options& options) {
    const std::size_t rows = Rows::capacity(model, options);
    return {rest_state(model), VectorX<Scalar>::Zero(static_cast<Eigen::Index>(rows)), std::vector<std::uint64_t>(rows), 0};
  }
  const auto& problem_rows() const noexcept {
    return std::visit([](const auto& bodies) -> const ConeRows<Scalar>& { return bodies.problem().rows(); }, bodies_);
  }

  template <class Bodies>
  void step(Bodies& bodies, const Input<Scalar>& input, const Scalar& h, StepResult<Scalar>& result) noexcept {
    result.status = set_free_motion(bodies, input, h, result.culprit);
    if (result.status == Status::converged && !rows_.add(bodies, node_.state, v_free_, h)) result.status = Status::capacity;
    if (!result) return;

    const Eigen::Index m = bodies.problem().rows().size();
    bodies.to_problem(node_.state.v, work_);
    guess_forces(static_cast<std::size_t>(m));
    const ConeOptions<Scalar> how{options_.law, options_.tolerance, options_.max_iterations};
    const ConeResult<Scalar> solved = newton_.solve(bodies.problem(), how, work_, next_.lambda.head(m));
    result.status = solved.status;
    result.iterations = solved.solves;
    result.solves = solved.solves;
    result.factorizations = solved.factorizations + 1;
    result.residual = solved.residual;
    result.relaxed = solved.is_convex;
    if (!result) return;
    bodies.to_model(work_, v_free_);
    go_straight(*model_, node_.state.q, v_free_, h, next_.state);
    next_.state.time = node_.state.time + h;
    next_.num_rows = static_cast<std::size_t>(m);
    if (!detail::is_finite_vector(next_.state.q) || !detail::is_finite_vector(next_.state.v)) result.status = Status::not_finite;
    else std::swap(node_, next_);
  }

  /// Begins the bodies at the node; the velocity that all but the rows would lead to.
  template <class Bodies>
  Status set_free_motion(Bodies& bodies, const Input<Scalar>& input, const Scalar& h, int& culprit) noexcept {
    const State<Scalar>& x = node_.state;
    culprit = static_cast<int>(bodies.begin(x.q, balance_.added(h), h));
    if (culprit != 0) return detail::is_finite_vector(x.q) ? Status::singular : Status::not_finite;
    culprit = -1;
    work_ = -balance_.missing(x, x.v, input, h);
    bodies.set_free_motion(x.v, work_, v_free_);
    return Status::converged;
  }

  /// Of the same rows in the last step.
  void guess_forces(std::size_t count) noexcept {
    std::size_t old = 0;
    for (std::size_t k = 0; k < count; ++k) {
      next_.row_ids[k] = rows_.id(k);
      while (old < node_.num_rows && node_.row_ids[old] < next_.row_ids[k]) ++old;  // both in ascending order
      const bool known = old < node_.num_rows && node_.row_ids[old] == next_.row_ids[k];
      next_.lambda[static_cast<Eigen::Index>(k)] = known ? node_.lambda[static_cast<Eigen::Index>(old)] : Scalar(0);
    }
  }

  const Model* model_;
  Options options_;
  Memory node_, next_;
  std::variant<Tree, Forest> bodies_;
  Rows rows_;
  ConeNewton<Scalar> newton_;
  MomentumBalance<Model> balance_;
  VectorX<Scalar> v_free_, work_;
  bool has_step_ = false;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeResult<double> ConeNewton<double>::solve(CompliantTree<Model<double>>&, const ConeOptions<double>&, VectorX<double>&,
                                                               VectorRef<double>) noexcept;
ACTIO_INSTANTIATE ConeResult<double> ConeNewton<double>::solve(BlockVelocities<double>&, const ConeOptions<double>&, VectorX<double>&,
                                                               VectorRef<double>) noexcept;
ACTIO_INSTANTIATE class CompliantIntegrator<Model<double>>;
ACTIO_INSTANTIATE class CompliantIntegrator<Model<double>, PlaneContacts<double>>;
#endif

}  // namespace actio
