// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The parts that deliveries from commands and from the outbox share.
extension IntentContext {
  /// The time limits of a delivery.
  ///
  /// With `waitsForTurn` a slow start is part of the wait, which only the user's timeout limits.
  func askLimits(waitsForTurn: Bool = false) -> AskLimits {
    var limits = AskLimits()
    if waitsForTurn { limits.delivery.total = nil }
    if let timeout {
      limits.delivery.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    return limits
  }

  /// Stores what the delivery showed about the server: its dialect, and whether it replaced the
  /// model.
  func learn(from outcome: AskOutcome, of request: AskRequest) async {
    let server = request.target.server
    modelCatalog.forget(server, ifItReplaced: request.newModel, with: outcome.model)
    var learned = server
    learned.learn(outcome.stream)
    guard server.dialect != learned.dialect else { return }
    // On failure, the next delivery detects it again.
    try? await serverStore.remember(learned.dialect, of: server.id)
  }
}
