// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

extension OppiError {
  init(_ error: ApprovalError) {
    switch error {
    case .requestGone(let id):
      self.init(
        .requestGone,
        "request \(id.safeLine(limit: 40)) is no longer pending",
        hints: [Self.pending, Self.decisions],
        details: ["requestId": .string(id)]
      )
    case .requestChanged(let id):
      self.init(
        .requestGone,
        "another call waits as \(id.safeLine(limit: 40)) by now; nothing was decided",
        hints: [Self.pending],
        details: ["requestId": .string(id)]
      )
    case .ambiguousRequest(let name, let candidates, let isOnSeveralServers):
      self.init(
        .ambiguousName,
        "\(name) fits several requests",
        hints: candidates + (isOnSeveralServers ? ["choose a server with --server NAME"] : [])
      )
    case .decisionUnknown(let id, let decision):
      self.init(
        .outcomeUnknown,
        "whether \(id) was \(decision.past) is not known",
        hints: [Self.pending, Self.decisions],
        details: ["requestId": .string(id)]
      )
    case .serverNotPaired: self.init(.notPaired, "its server is no longer paired")
    }
  }

  private static let pending = "see what waits with: oppi approvals"
  private static let decisions = "what was decided: oppi approvals log"
}
