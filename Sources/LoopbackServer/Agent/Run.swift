// SPDX-License-Identifier: MIT

/// One run of an agent, from a prompt to the end of everything that was queued behind it.
final class Run {
  /// Who asked the run to stop, and what follows it.
  enum Stop {
    case turn
    case session
  }

  /// How the pause before another attempt ended early.
  enum PauseEnd {
    case aborted
    /// Another prompt came, whose run takes the place of this one.
    case superseded
  }

  /// The stop that is under way; none any more where it was given up.
  var stop: Stop?
  /// Whether the run was ever asked to stop; it ends at the next chance.
  private(set) var isAborted = false
  /// Kept as soon as the run is to stop.
  let abortion = Promise<Bool>()
  /// Kept when the run is to stop or something was queued behind it.
  var interruption = Promise<Bool>()
  /// The pause before another attempt, while it lasts.
  var pause: Promise<PauseEnd>?
  let ended = Promise<Bool>()
  /// Whether a message of the model is under way, which older servers tell.
  var isInTurn = false
  /// What the message of the model that is under way has come to.
  var partialMessage = PartialMessage()
  /// What was queued behind this very run and was not heard yet.
  var queuedIDs: Set<String> = []
  /// The failure of the last attempt, where there is no other one.
  var finalFailure: (error: String, attempt: Int)?

  func abort() {
    isAborted = true
    abortion.keep(true)
    interruption.keep(true)
    pause?.keep(.aborted)
  }
}

/// What a message of the model has come to while it is still under way.
struct PartialMessage {
  private(set) var thinking = ""
  private(set) var text = ""

  /// Takes a piece that was sent under a type.
  mutating func append(_ delta: String, as type: String) {
    if type == "text_delta" { text += delta } else { thinking += delta }
  }
}
