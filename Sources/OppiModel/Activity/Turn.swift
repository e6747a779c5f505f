// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// One turn of the agent, from its prompt to its end: as it is followed live, or as it is recorded.
///
/// Texts are the server's own; their length is limited, but they are not made safe to show.
package struct Turn: Sendable, Equatable {
  /// The limit of ``text`` in bytes of UTF-8.
  package static let textLimit = 16 * 1024 * 1024
  package static let callLimit = 100
  /// The limit of a message in ``queue``, in bytes.
  package static let queuedTextLimit = 4096
  /// The limit of a server's error text or reason, in bytes.
  static let reasonLimit = 4096
  /// The most children, questions, queued messages and statuses, each.
  package static let companionLimit = 50

  /// Whether an answer is so long that it has been cut at ``textLimit``.
  package static func isCut(_ answer: String) -> Bool {
    // A character that does not fit completely is left out.
    answer.utf8.count > textLimit - 4
  }

  package enum Step: Sendable, Equatable {
    /// A whole message of the agent; the last one is the answer if the turn succeeded.
    case text(String)
    /// A message sent to the running turn.
    case steer(String)
    case call(ToolCallActivity)
  }

  /// The position in the recorded conversation, counted from 1; 0 if it is not recorded.
  package internal(set) var number = 0
  /// The whole recorded prompt without images; `nil` if unknown.
  package internal(set) var prompt: String?
  package internal(set) var imageCount = 0
  /// What is recorded after the prompt, in order; of a turn that is followed, ``ActivityChange``
  /// reports it piece by piece.
  package internal(set) var steps: [Step] = []
  package var status = TurnStatus.idle
  package var thinking = ThinkingState()
  /// The latest calls, in the order in which the model made them.
  package var toolCalls: [ToolCallActivity] = []
  /// The number of finished calls before ``toolCalls`` that are no longer kept.
  package var droppedCallCount = 0
  /// The visible text of the agent's latest message; empty if it only calls tools.
  package var text = ""
  package var isWriting = false
  /// Whether the start of the unfinished ``text`` may be missing, because it was sent before the
  /// connection; the complete message follows.
  package var mayLackStart = false
  package var questions: [UserQuestion] = []
  /// What the agent asks other programs: servers before March 2026 report a question only to those
  /// that are connected when it is asked, and only these can answer it.
  package var unreported: UserQuestion?
  package var children: [ChildSession] = []
  /// Messages queued behind the turn; older servers do not report them.
  package var queue: [QueuedMessage] = []
  package var statuses: [ExtensionStatus] = []
  /// The pending or running retry.
  package var retry: RetryState?
  package var isCompacting = false
  /// The start of the turn, or the time when it was first seen; `nil` if unknown.
  package var startedAt: Timestamp?
  /// The end of the turn; of a recorded one that is still running, the time of its last step.
  package var endedAt: Timestamp?

  package init() {}

  package var isFinished: Bool {
    if case .finished = status { true } else { false }
  }

  package var outcome: TurnOutcome? {
    guard case .finished(let outcome) = status else { return nil }
    return outcome
  }

  /// The agent's final message; `nil` unless the turn succeeded.
  package var answer: String? { outcome?.answer }

  /// The recorded calls.
  package var calls: [ToolCallActivity] {
    steps.compactMap { if case .call(let call) = $0 { call } else { nil } }
  }

  /// The amount of recorded text to lay out, roughly in bytes of UTF-8.
  package var size: Int {
    steps.reduce(prompt?.utf8.count ?? 0) { size, step in
      switch step {
      case .text(let text), .steer(let text): size + text.utf8.count
      case .call: size + 1000
      }
    }
  }

  package var pendingApprovals: [PermissionRequest] { toolCalls.compactMap(\.pendingApproval) }

  /// What the agent waits for: the calls first, then the questions.
  package var requests: [HumanRequest] {
    pendingApprovals.map(HumanRequest.permission) + questions.map(HumanRequest.question)
  }

  /// What the turn waits for: approval, if any of its requests needs it.
  package var waitsFor: RequestNeed? {
    if requests.contains(where: { $0.needs == .approval }) { return .approval }
    return questions.isEmpty && unreported == nil ? nil : .answer
  }

  package func request(_ id: String) -> HumanRequest? { requests.first { $0.id == id } }

  /// Whether the turn waits for the user.
  package var isWaiting: Bool {
    status == .running && (!questions.isEmpty || !pendingApprovals.isEmpty || unreported != nil)
  }

  /// A call as shown: none runs while the turn waits.
  package func shown(_ call: ToolCallActivity) -> ToolCallActivity {
    var call = call
    if isWaiting, call.state == .running { call.state = .waiting }
    return call
  }

  package var runningCall: ToolCallActivity? { toolCalls.last { $0.state == .running } }

  /// The time from the start to the end; `nil` if it is unknown, or if the turn is not over.
  package var duration: Duration? { isFinished ? startedAt?.duration(to: endedAt) : nil }

  /// The time from the start to `now`, or to the end if the turn is over.
  package func elapsed(at now: Timestamp) -> Duration {
    duration ?? startedAt?.duration(to: now) ?? .zero
  }
}

package enum TurnStatus: Sendable, Equatable {
  /// There has been no turn.
  case idle
  case running
  case stopping
  case finished(TurnOutcome)
}

/// Another attempt after a failure of the model.
package struct RetryState: Sendable, Equatable {
  /// Counted from 1.
  package var attempt: Int
  /// The maximum number of attempts.
  package var limit: Int
  package var error: String
}

/// A status line that an extension of the agent maintains.
package struct ExtensionStatus: Sendable, Equatable, Identifiable {
  package let key: String
  package let text: String

  package var id: String { key }
}

/// A session that the agent started for a subtask.
package struct ChildSession: Sendable, Equatable, Identifiable {
  package let id: String
  package var name: String?
  package var status: Session.Status

  package init(_ session: Session) {
    id = session.id
    name = session.name
    status = session.status
  }
}

package enum TurnOutcome: Sendable, Equatable {
  /// The agent's last message has text, which is the answer.
  case succeeded(answer: String)
  /// The turn ended without an answer.
  case empty
  case failed(String)
  /// The turn was stopped, or the session ended during it.
  case stopped(reason: String?)
  /// The queued prompt was removed by a stop and never ran.
  case dropped
  /// The end was not seen, and no other source shows the outcome.
  case unknown(reason: String?)

  /// The answer of a turn that succeeded; `nil` for any other outcome.
  package var answer: String? {
    if case .succeeded(let answer) = self { answer } else { nil }
  }

  /// Why the turn has no answer, if that was reported.
  package var reason: String? {
    switch self {
    case .failed(let reason): reason
    case .stopped(let reason), .unknown(let reason): reason
    case .succeeded, .empty, .dropped: nil
    }
  }
}

package enum ApprovalOutcome: String, Sendable, Equatable, CaseIterable {
  case approved
  case denied
  /// No answer arrived in time, which counts as a denial.
  case expired
  /// The session ended before an answer.
  case cancelled

  package var word: String {
    switch self {
    case .approved: "approved"
    case .denied: "denied"
    case .expired: "expired"
    case .cancelled: "cancelled"
    }
  }

  /// Recognises the server's output for a blocked call; `nil` for any other text.
  init?(refusal text: String) {
    guard let outcome = Self.allCases.first(where: { $0.refusal == text }) else { return nil }
    self = outcome
  }

  /// The server's output for a call that was blocked; `nil` for an approved call.
  var refusal: String? {
    switch self {
    case .approved: nil
    case .denied: "Denied by user"
    case .expired: "Approval timeout"
    case .cancelled: "Session ended"
    }
  }
}

/// The progress of an agent's to-do list.
package struct TodoProgress: Sendable, Equatable {
  package var completed: Int
  package var total: Int
  /// The item in progress, or the next one.
  package var current: String?

  package init(completed: Int, total: Int, current: String? = nil) {
    self.completed = completed
    self.total = total
    self.current = current
  }

  /// Reads the list from a call's details or arguments; `nil` if there is none.
  ///
  /// Tools differ: an item has `content`, `text` or `title`, and `status` or `done`.
  package init?(_ call: ToolCallActivity) {
    guard let items = call.details["todos"].array ?? call.arguments["todos"].array else {
      return nil
    }
    let open = items.filter { !Self.isDone($0) }
    completed = items.count - open.count
    total = items.count
    let current = open.first { $0["status"] == "in_progress" } ?? open.first
    self.current = current.flatMap { item in
      ["content", "text", "title"].lazy.compactMap { item[$0].text(.sentence) }.first
    }
  }

  /// From 0 to 100; `nil` if the list is empty.
  package var percentage: Int? {
    guard total > 0 else { return nil }
    return Int(100 * Double(min(max(completed, 0), total)) / Double(total))
  }

  private static func isDone(_ item: JSONValue) -> Bool {
    item["done"] == true || item["completed"] == true || item["status"] == "completed"
      || item["status"] == "done" || item["status"] == "cancelled"
  }
}

/// One change within a turn, for output that prints changes rather than states.
package enum ActivityChange: Sendable, Equatable {
  /// `isOwn` is true if this program sent the turn's prompt.
  case turnStarted(isOwn: Bool)
  /// A piece of the thinking text.
  case thinking(String)
  /// The model is writing a call; its arguments may still be missing.
  case toolPlanned(ToolCallActivity)
  case approvalRequested(PermissionRequest, callID: String?)
  case approvalResolved(id: String, outcome: ApprovalOutcome)
  /// A call is complete and passed to its tool; a permission request may still block it.
  case toolStarted(ToolCallActivity)
  /// A piece of output, or with `replaces` a text that replaces all output so far.
  case toolOutput(callID: String, text: String, replaces: Bool)
  case toolFinished(ToolCallActivity)
  /// A piece of the message that the agent is writing.
  case text(String)
  /// The whole message so far, sent when the pieces were incomplete or wrong.
  case textReplaced(String)
  /// The message is complete; the value is its whole text.
  case textFinished(String)
  case question(UserQuestion)
  /// A question is no longer pending: it was answered elsewhere, or timed out.
  case questionSettled(id: String)
  /// A line to show: a retry, a compaction or a notification of an extension.
  case notice(String)
  /// The status line that an extension keeps under a key; `nil` removes it.
  case statusChanged(key: String, text: String?)
  case child(ChildSession)
  /// Queued messages were removed from the queue and will never run.
  case queueDropped([QueuedMessage])
  /// Queued messages are no longer in the queue; whether they ran is unknown.
  case queueLost([QueuedMessage])
  /// The current turn ended, or an own prompt that never started was given up.
  case turnFinished(TurnOutcome, isOwn: Bool)
  case sessionEnded(String?)

  static func note(_ text: String) -> Self { .notice(text.head(bytes: Turn.reasonLimit)) }
}

extension Timestamp {
  /// The time until another moment, not less than zero; `nil` if that is unknown.
  func duration(to end: Timestamp?) -> Duration? {
    end.map { .milliseconds(max(0, $0.milliseconds - milliseconds)) }
  }
}
