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
        "request \(id.safeLine(limit: 40)) is now for a different call; nothing was decided",
        hints: [Self.pending],
        details: ["requestId": .string(id)]
      )
    case .ambiguousRequest(let name, let candidates, let isOnSeveralServers):
      self.init(
        .ambiguousName,
        "'\(name)' is ambiguous: it matches several requests",
        hints: candidates + (isOnSeveralServers ? ["choose a server with --server NAME"] : [])
      )
    case .decisionUnknown(let id, let decision):
      self.init(
        .outcomeUnknown,
        "could not confirm that request \(id) was \(decision.past)",
        hints: [Self.pending, Self.decisions],
        details: ["requestId": .string(id)]
      )
    case .serverNotPaired: self.init(.notPaired, "the server of the request is no longer paired")
    }
  }

  private static let pending = "list pending approvals with: oppi approvals"
  private static let decisions = "list past decisions with: oppi approvals log"
}
