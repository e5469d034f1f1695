// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact derivative of a compliant step by anything it depends on: state, input, and all numbers of model, contacts and options.
#include <concepts>
#include <utility>

#include "actio/equations/rows_on_tree.hpp"
#include "actio/integrators/compliant/momentum_balance.hpp"
#include "actio/integrators/compliant/rows.hpp"
#include "actio/model/state.hpp"
#include "actio/solvers/cone/response.hpp"

namespace actio {

/// Propagates directional derivatives, in dual numbers, along the steps of a CompliantIntegrator. It evaluates the equations of the step
/// once in dual numbers at the integrator's velocities and forces, whose derivatives follow by the implicit function theorem: no cone
/// problem is solved again. Each contact, limit and friction row is differentiated on its present branch: open, sticking or sliding.
///                                                                                              [compliant_math.md, section 9]
///
///   const Model<Dual<double>> varied = cast<Dual<double>>(model);       // set the derivatives of parameters here
///   CompliantDerivatives derivatives(varied);
///   State<Dual<double>> x = dual_state(varied, state, dq, dv);
///   if (integrator.step(input, h) && derivatives.linearize(integrator) == Status::converged) derivatives.follow(integrator, x,
///   varied_input);
///
/// One factorisation a step, and O(bodies + rows) a direction where contacts are with the world. linearize() and follow() neither allocate
/// nor throw. Contacts with a tangential stiffness are not supported: their stretch is not part of a State. Where stiff joint dampers
/// reduce the velocities (CompliantIntegrator::velocity_shares), the factors are taken as constant.
/// @tparam ModelType a Model of Dual scalars.  @tparam Contacts a ContactSource of Dual scalars.
template <class ModelType, class Contacts = NoContacts>
class CompliantDerivatives {
 public:
  using Model = ModelType;           ///< a Model of any joints, in dual numbers
  using D = typename Model::Scalar;  ///< a value with one derivative
  using S = ValueOf<D>;              ///< the value
  static_assert(ContactSource<Contacts, D>);
  static_assert(std::same_as<D, Dual<S>>, "the scalar type of the model and of its contacts must be actio::Dual");

  /// @param model, options, contacts with the integrator's values and the derivatives of parameters. The model outlives this.
  explicit CompliantDerivatives(const Model& model, const CompliantOptions<D>& options = {}, Contacts contacts = {})
      : CompliantDerivatives(detail::CompletedOptions<D>{options.completed(contacts)}, model, std::move(contacts)) {}
  explicit CompliantDerivatives(Model&&, const CompliantOptions<D>& = {}, Contacts = {}) = delete;  // would dangle

  /// Factors the linearised equations at the integrator's last step.  @returns converged; invalid_step if there is no such step or it was
  /// relaxed; singular if they cannot be factored.
  template <class Integrator>
  Status linearize(Integrator& integrator) noexcept {
    if (!integrator.forces().is_solved()) return Status::invalid_step;
    return integrator.forces().visit_problem([&](auto& bodies, const VectorX<S>& v1) {
      return response_.linearize(bodies.problem(), integrator.options().law, v1, integrator.row_forces()) ? Status::converged
                                                                                                          : Status::singular;
    });
  }

  /// Propagates one direction over the step, after linearize() and before the integrator's next step.
  /// @param x in: the state at the beginning of the step; out: at its end; unchanged on failure.  @param input of the step. Its values, and
  /// those of the model, the contacts and the options, are not compared with the integrator's.
  /// @returns converged; invalid_step as linearize(); invalid_input if x is not the state at the beginning, leads to other rows than the
  /// step had, or a contact has a tangential stiffness; not_finite.
  template <class Integrator>
  Status follow(Integrator& integrator, State<D>& x, const Input<D>& input = {}) noexcept {
    if (!integrator.forces().is_solved()) return Status::invalid_step;
    const State<S>& begin = integrator.step_begin();
    if (!is_valid(*model_, input)) return Status::invalid_input;
    if (!has_values(x.q, begin.q) || !has_values(x.v, begin.v)) return Status::invalid_input;
    return integrator.forces().visit_problem([&](auto& bodies, const VectorX<S>&) { return follow(integrator, bodies, x, input); });
  }
  /// Computes both matrices, for control:  d(q1, v1) = A d(q, v) + B dtau,  with variations of q and q1 as joint velocities, v1 in the axes
  /// at the end. After linearize(); one follow() a column.  @param A (2 nv x 2 nv), B (2 nv x nv) out.  @returns as follow().  Allocates.
  template <class Integrator>
  Status matrices(Integrator& integrator, const Input<S>& input, MatrixX<S>& A, MatrixX<S>& B) {
    const Eigen::Index n = model_->nv();
    const VectorX<S> zero = VectorX<S>::Zero(n);
    A.resize(2 * n, 2 * n);
    B.resize(2 * n, n);
    Input<D> varied;
    varied.tau_begin = (input.tau_begin.size() > 0 ? input.tau_begin : zero).template cast<D>();
    for (const Vector6<S>& wrench : input.wrench_begin) varied.wrench_begin.push_back(wrench.template cast<D>());
    for (Eigen::Index k = 0; k < 3 * n; ++k) {
      const VectorX<S> unit = VectorX<S>::Unit(n, k % n);
      State<D> x = dual_state(*model_, integrator.step_begin(), k < n ? unit : zero, k / n == 1 ? unit : zero);
      if (k >= 2 * n) varied.tau_begin[k - 2 * n].derivative = S(1);
      const Status status = follow(integrator, x, varied);
      if (status != Status::converged) return status;
      auto column = k < 2 * n ? A.col(k) : B.col(k - 2 * n);
      column << direction(*model_, x.q), derivatives(x.v);
      if (k >= 2 * n) varied.tau_begin[k - 2 * n].derivative = S(0);
    }
    return Status::converged;
  }
  /// Returns the forces (rows) of the last follow(), in the integrator's order [N, N m].
  auto row_forces() const noexcept { return lambda_.head(rows_.rows().size()); }

 private:
  CompliantDerivatives(const detail::CompletedOptions<typename ModelType::Scalar>& with, const Model& model, Contacts&& contacts)
      : model_(&model), finder_(model, with.options, *with.options.contact_capacity), contacts_(std::move(contacts)),
        rows_(model, capacity(model, with.options)), balance_(model),
        response_(model.nv(), static_cast<Eigen::Index>(capacity(model, with.options))), next_(rest_state(model)),
        end_{VectorX<S>::Zero(model.nq()), VectorX<S>::Zero(model.nv()), S(0)} {
    for (VectorX<D>* x : {&v_free_, &v1_, &impulse_}) x->setZero(model.nv());
    for (VectorX<D>* x : {&lambda_, &rates_}) x->setZero(static_cast<Eigen::Index>(capacity(model, with.options)));
    for (VectorX<S>* x : {&forward_, &ordered_, &change_}) x->setZero(model.nv());
    force_.setZero(lambda_.size());
    force_change_ = force_;
    require_bodies(model, contacts_);
  }

  static std::size_t capacity(const Model& model, const CompliantOptions<D>& options) {
    return detail::CompliantRows<Model>::capacity(model, options);
  }

  static bool has_values(const VectorX<D>& x, const VectorX<S>& values) noexcept {
    if (x.size() != values.size()) return false;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      if (x[k].value != values[k]) return false;
    }
    return true;
  }
  static void set_values(VectorX<D>& x, const VectorX<S>& values) noexcept {
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k].value = values[k];
  }

  template <class Integrator, class Bodies>
  Status follow(Integrator& integrator, Bodies& bodies, State<D>& x, const Input<D>& input) noexcept {
    auto& problem = bodies.problem();
    const D h(problem.h());
    const Eigen::Index m = problem.rows().size();
    bodies.to_model(problem.v_free(), forward_);
    v_free_ = forward_.template cast<D>();
    v1_ = integrator.forces().velocity().template cast<D>();
    rows_.begin(x.q);
    if (!finder_.add(rows_, x, v_free_, h, detail::ContactFinder<D>(contacts_)) || finder_.tangential_springs().size() > 0 ||
        rows_.rows().size() != m)
      return Status::invalid_input;
    for (Eigen::Index k = 0; k < m; ++k) {
      if (finder_.id(static_cast<std::size_t>(k)) != integrator.forces().row_id(static_cast<std::size_t>(k))) return Status::invalid_input;
      lambda_[k] = D(integrator.row_forces()[k]);
    }

    // Derivatives of the equations at constant v1 and lambda.
    rows_.forces(lambda_.head(m), impulse_);
    impulse_ = h * impulse_ - balance_.missing(x, v1_, input, h);
    for (Eigen::Index k = 0; k < forward_.size(); ++k) forward_[k] = impulse_[k].derivative;
    rows_.rates(v1_, rates_.head(m));
    const auto R = rows_.rows().R();
    for (Eigen::Index k = 0; k < m; ++k) rates_[k] += rows_.rows().bias()[k] + (R[k] - D(response_.rho()[k])) * lambda_[k];
    for (const RowGroup<D>& group : rows_.rows().groups()) {
      const Vector3<D> rho = of_group(group, response_.rho()).template cast<D>();
      const Vector3<D> answer = detail::group_force(group, integrator.options().law, rho, of_group(group, rates_)).lambda;
      for (int r = 0; r < group.size; ++r) force_[group.first + r] = answer[r].derivative;
    }
    bodies.to_problem(forward_, ordered_);
    response_.respond(problem, ordered_, force_.head(m), change_, force_change_.head(m));
    bodies.to_model(change_, forward_);
    if (!detail::all_finite(forward_)) return Status::not_finite;

    for (Eigen::Index k = 0; k < forward_.size(); ++k) v1_[k].derivative = forward_[k];
    for (Eigen::Index k = 0; k < m; ++k) lambda_[k].derivative = force_change_[k];
    go_straight(*model_, x.q, v1_, h, next_);
    x.q = next_.q;
    x.v = integrator.velocity_shares().template cast<D>().cwiseProduct(next_.v);
    const Status end = integrator.read(end_);  // the integrator's values to the last bit, since the next step begins there
    set_values(x.q, end_.q);
    set_values(x.v, end_.v);
    x.time.value = end_.time;
    return end;
  }

  const Model* model_;
  detail::CompliantRows<Model> finder_;
  [[no_unique_address]] Contacts contacts_;
  detail::RowsOnTree<Model> rows_;
  detail::MomentumBalance<Model> balance_;
  detail::ConeResponse<S> response_;
  State<D> next_;
  State<S> end_;
  VectorX<D> v_free_, v1_, impulse_, lambda_, rates_;
  VectorX<S> forward_, ordered_, change_, force_, force_change_;
};

}  // namespace actio
