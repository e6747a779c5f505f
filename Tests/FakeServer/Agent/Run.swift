// SPDX-License-Identifier: MIT

/// One run of an agent, from a prompt to the end of the last message queued behind it.
final class Run {
  enum Stop {
    case turn
    case session
  }

  /// The reason why the pause before a retry ended early.
  enum PauseEnd {
    case aborted
    /// Another prompt arrived; its run replaces this one.
    case superseded
  }

  /// The current stop; nil also after a stop has failed.
  var stop: Stop?
  /// Whether a stop was ever requested; the run ends at the next opportunity.
  private(set) var isAborted = false
  /// Kept when a stop is requested.
  let abortion = Promise<Bool>()
  /// Kept when a stop is requested or a message is queued behind the run.
  var interruption = Promise<Bool>()
  var pause: Promise<PauseEnd>?
  let ended = Promise<Bool>()
  /// Whether the run has ended, except for the report that nothing follows.
  var isSettling = false
  /// Whether a message of the model has begun; older servers announce it.
  var isInTurn = false
  var partialMessage = PartialMessage()
  /// The messages queued behind this run and not yet delivered.
  var queuedIDs: Set<String> = []
  /// The last failure when no retry follows.
  var finalFailure: (error: String, attempt: Int)?

  /// Whether the run can be stopped, and messages can be queued behind it.
  var isActive: Bool { stop == nil && pause == nil && !isSettling }

  func abort() {
    isAborted = true
    abortion.keep(true)
    interruption.keep(true)
    pause?.keep(.aborted)
  }
}

struct PartialMessage {
  private(set) var thinking = ""
  private(set) var text = ""

  mutating func append(_ delta: String, as type: String) {
    if type == "text_delta" { text += delta } else { thinking += delta }
  }
}
