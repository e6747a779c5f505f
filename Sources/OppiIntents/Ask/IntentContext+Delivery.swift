// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// What every delivery has in common, from a command and from the outbox.
extension IntentContext {
  /// Limits the steps of a delivery.
  ///
  /// - Parameter waitsForTurn: Whether the caller waits for the turn: a slow start is then part of the
  ///   wait, which only the user's timeout limits.
  /// - Returns: How long the steps may take.
  func askLimits(waitsForTurn: Bool = false) -> AskLimits {
    var limits = AskLimits()
    if waitsForTurn { limits.delivery.total = nil }
    if let timeout {
      limits.delivery.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    return limits
  }

  /// Keeps what a delivery has taught about the server: its dialect, and that it replaced a model.
  func learn(from outcome: AskOutcome, of request: AskRequest) async {
    let server = request.target.server
    modelCatalog.forget(server, ifItReplaced: request.newModel, with: outcome.model)
    guard server.dialect != outcome.dialect else { return }
    // The next delivery learns it again.
    try? await serverStore.remember(outcome.dialect, of: server.id)
  }
}
