// Chooses the order of the steps so that the largest sum of live bytes at any step is small. Pure C++ on a graph of
// steps and values; knows neither ops nor offsets.
//
//       a -+-> b1 -> c1 -+          in rows:   a b1 b2 c1 c2 d    both wide maps, b1 and b2, are alive together
//          |             +-> d
//          +-> b2 -> c2 -+          in depth:  a b1 c1 b2 c2 d    b1 is gone before b2 is written
//
// Steps that every other step must follow or precede cut the graph into segments that are ordered one by one. A segment
// is solved by dynamic programming over the sets of steps already done, which is exact as long as the sets fit into a
// fixed width and a beam search beyond; greedy orders, forwards and backwards, stand beside it, and so does the
// caller's order, which wins every tie. Effort is counted, never timed: the order is a function of the graph alone.
#pragma once
#include <cstdint>
#include <vector>

namespace aotc::plan {

// Something that needs memory from the first step that reads or writes it to the last one. What lies inside another
// value (a slice of a concat, a view) is not a value of its own: its steps read and write the outer one.
struct StepValue {
  std::int64_t sizeBytes = 0;
  bool isInput = false;  // alive from the beginning
  bool isOutput = false; // alive to the end
};

struct StepNode {
  std::vector<int> reads, writes; // indices of values; several nodes may write different parts of one value
  std::vector<int> after;         // nodes that must come before this one for other reasons than values
  std::int64_t scratchBytes = 0;  // needed during this step only
  // A value in `reads` whose place the first value in `writes` may take if this step is the last to use it; -1: none.
  int inPlaceOf = -1;
};

// Nodes stand in an order that is valid already: reads follow the writes they depend on.
struct StepGraph {
  std::vector<StepValue> values;
  std::vector<StepNode> nodes;
};

struct StepOrder {
  std::vector<int> nodes;     // indices into StepGraph::nodes, in the order of execution
  std::int64_t peakBytes = 0; // the largest sum of live values and scratch at any step of it
  bool provenOptimal = false; // no valid order has a smaller peak
};

struct OrderStepsOptions {
  std::int64_t stateBudget = 400'000; // sets of done steps that may be looked at; wide ones count for several
  int beamLimit = 3000;               // segments with more steps are ordered greedily only
};

// A valid order with a small peak: a read comes after the writes that precede it in the graph's order, a write after
// the reads that do, `after` is kept; several writes without a read between them may change places.
StepOrder orderSteps(const StepGraph &graph, const OrderStepsOptions &options = {});

// The peak of the graph in the given order of its nodes.
std::int64_t peakBytes(const StepGraph &graph, const std::vector<int> &order);

} // namespace aotc::plan
