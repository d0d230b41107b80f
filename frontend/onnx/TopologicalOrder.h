// Puts the nodes of one graph in order.
#pragma once

#include "frontend/onnx/Graph.h"

namespace aotc::frontend {

/// Reorders `graph.nodes` so that producers come before consumers (subgraphs' captures count as uses), and leaves them
/// in the given order where that is already so. Takes time linear in nodes and edges, and constant stack. False after
/// the error that names the values of a cycle.
bool sortNodes(Graph &graph, const Model &model, Diagnostics &diagnostics);

} // namespace aotc::frontend
