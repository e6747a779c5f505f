// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// Reads the policies of servers, and removes their rules.
struct ServerPolicies: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// The policies of servers; `nil` for a server without a gate.
  ///
  /// - Throws: `CancellationError`.
  func answers(
    of servers: [PairedServer]
  ) async throws(CancellationError) -> [Fleet.Answer<ServerPolicy?>] {
    try await context.fleet(of: servers).answers { (client, _, deadline) throws(IntentError) in
      try await client.policy(until: deadline)
    }
  }

  /// Removes a rule of a server, and checks that it is gone.
  ///
  /// - Returns: False if the server still lists the rule.
  /// - Throws: If the server cannot be queried, or refuses.
  func remove(_ ruleID: String, from server: PairedServer) async throws(IntentError) -> Bool {
    let api = try await context.connections.client(for: server)
    try await api.deletePolicyRule(ruleID, until: context.loop.now + context.answerLimit)
    let rest = try await api.policy(until: context.loop.now + context.answerLimit)
    return rest?.rules.contains { $0.id == ruleID } != true
  }
}
