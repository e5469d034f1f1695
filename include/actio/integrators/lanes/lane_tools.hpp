// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Vectors of batches by their lanes, inputs of lanes, and one lane as an observer sees an integrator.
#include <array>
#include <cstddef>
#include <type_traits>

#include "actio/core/batch.hpp"
#include "actio/core/status.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// The inputs of a step of N lanes: one for each, one for all, or no forces. Refers to them.
template <Scalar S, int N>
class LaneInputs {
 public:
  LaneInputs() noexcept : LaneInputs(none) {}                           ///< no forces act
  LaneInputs(const Input<S>& all) noexcept { each_.fill(&all); }        ///< one for all
  LaneInputs(const std::array<Input<S>, static_cast<std::size_t>(N)>& each) noexcept {  ///< one for each
    for (std::size_t k = 0; k < each.size(); ++k) each_[k] = &each[k];
  }
  const Input<S>& operator[](int lane) const noexcept { return *each_[static_cast<std::size_t>(lane)]; }  ///< that of a lane

 private:
  inline static const Input<S> none{};
  std::array<const Input<S>*, static_cast<std::size_t>(N)> each_;
};

namespace detail {

/// Returns the mask of the lanes whose bits are set.  @tparam B a Batch.
template <class B>
typename B::Mask mask_of(unsigned bits) noexcept {
  return B::Mask::of([=](int k) { return (bits >> k & 1U) != 0; });
}
/// Copies a lane of x.  @param out of the same size.
template <class B>
void get_lane(const VectorX<B>& x, int lane, std::type_identity_t<VectorRef<ValueOf<B>>> out) noexcept {
  for (Eigen::Index i = 0; i < x.size(); ++i) out[i] = x[i][lane];
}
/// Sets a lane of x.  @param values of the same size.
template <class B>
void set_lane_of(VectorX<B>& x, int lane, const std::type_identity_t<ConstVectorRef<ValueOf<B>>>& values) noexcept {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i].set(lane, values[i]);
}
/// Copies the lanes of a mask.  @param from, to vectors or matrices of batches, of equal sizes.
template <class Mask, class From, class To>
void blend(const Mask& mask, const From& from, To& to) noexcept {
  for (Eigen::Index i = 0; i < from.size(); ++i) to.data()[i] = select(mask, from.data()[i], to.data()[i]);
}

/// Returns the bits of the lanes, among some, in which every entry is finite.
template <class B>
unsigned finite_lanes(const VectorX<B>& x, unsigned among) noexcept {
  auto finite = mask_of<B>(among);
  for (const B& entry : x) finite = finite & is_finite(entry);
  return finite.bits();
}

/// The forces of several inputs at the beginning of a step, as one input of a model in batches.
template <class B>
class WideInput {
 public:
  using S = ValueOf<B>;  ///< of one lane

  /// @param model of one lane or of all.
  template <class Model>
  explicit WideInput(const Model& model) : plain_(VectorX<B>(VectorX<B>::Constant(model.nv(), B(S(0))))), pushed_(plain_) {
    pushed_.wrench_begin = BodyArray<Vector6<B>>(model.num_bodies(), Vector6<B>::Constant(B(S(0))));
  }

  /// Sets the forces of the lanes whose bits are set, 0 in the others.  @param inputs valid in those lanes.
  /// @returns the input, valid until the next call.
  const Input<B>& gather(const LaneInputs<S, B::lanes>& inputs, unsigned lanes) noexcept {
    bool pushes = false;
    for (int k = 0; k < B::lanes; ++k) pushes |= (lanes >> k & 1U) != 0 && inputs[k].wrench_begin.size() > 0;
    Input<B>& all = pushes ? pushed_ : plain_;
    all.tau_begin.setConstant(B(S(0)));
    if (pushes) {
      for (Vector6<B>& wrench : all.wrench_begin) wrench.setConstant(B(S(0)));
    }
    for (int k = 0; k < B::lanes; ++k) {
      if ((lanes >> k & 1U) == 0) continue;
      const Input<S>& input = inputs[k];
      if (input.tau_begin.size() > 0) set_lane_of(all.tau_begin, k, input.tau_begin);
      for (BodyIndex i = 1; i < input.wrench_begin.size(); ++i) {
        for (int r = 0; r < 6; ++r) all.wrench_begin[i][r].set(k, input.wrench_begin[i][r]);
      }
    }
    return all;
  }

 private:
  Input<B> plain_, pushed_;  // without wrenches and with them
};

}  // namespace detail

/// One lane of an integrator of several lanes, as controllers and observers of a run see an integrator: see Node.
/// @tparam L a LaneIntegrator.
template <class L>
class Lane {
 public:
  using Model = typename L::Model;    ///< of all lanes
  using Scalar = typename L::Scalar;  ///< of one lane

  /// @param lanes outlives this.  @param number of the lane.
  Lane(L& lanes, int number) : lanes_(&lanes), number_(number), q_(lanes.model().nq()) {}

  int number() const noexcept { return number_; }                       ///< of the lane
  const Model& model() const noexcept { return lanes_->model(); }       ///< of all lanes
  Scalar time() const noexcept { return lanes_->time(number_); }        ///< t_k [s]
  Status read(State<Scalar>& state) noexcept { return lanes_->read(number_, state); }  ///< reads q, v and t: see Integrator
  /// Returns q_k (nq), valid until the next call.
  const VectorX<Scalar>& configuration() const noexcept {
    lanes_->configuration(number_, q_);
    return q_;
  }

 private:
  L* lanes_;
  int number_;
  mutable VectorX<Scalar> q_;
};

}  // namespace actio
