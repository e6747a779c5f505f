// SPDX-License-Identifier: MIT

/// One run of an agent, from a prompt to the end of everything that was queued behind it.
final class Run {
  /// Who asked the run to stop, and what follows it.
  enum Stop {
    case turn
    case session
  }

  var stop: Stop?
  /// Kept when the run is to stop or something was queued behind it.
  var interruption = Promise<Bool>()
  let ended = Promise<Bool>()
  /// Whether a message of the model is under way, which older servers tell.
  var isInTurn = false
}
