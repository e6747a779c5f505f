// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A session as listed: texts are on one line, limited and safe to show.
package struct SessionStatus: Sendable, Equatable {
  package typealias Changes = Session.Changes

  package struct Question: Sendable, Equatable {
    /// The session's id, because lists contain no id of the question.
    package var id: String
    package var text: String

    package init(id: String, text: String) {
      self.id = id
      self.text = text
    }
  }

  package var id: String
  package var workspaceID: String?
  package var workspaceName: String?
  /// The session's name, else the start of its first message.
  package var goal: String?
  package var phase: SessionPhase
  /// Whether it counts for the server's limit of loaded sessions.
  package var isLoaded = true
  package var model: String?
  /// The cost so far, in dollars.
  package var cost: Double?
  package var changes: Changes?
  package var lastActivity: Timestamp
  /// `nil` if it was read from a file, which does not have it.
  package var createdAt: Timestamp?
  /// Counts messages of the user and the assistant, and tool results.
  package var messageCount = 0
  /// The running turn, or the last one; `nil` if it was not queried.
  package var turn: TurnSummary?
  /// The most urgent first.
  package var approvals: [PendingApproval] = []
  package var question: Question?
  /// The number of dialogs that wait for a human, if the server counts them; the question and the
  /// approvals are among them.
  package var pendingCount = 0

  /// The text of the agent's pending question, or of its most urgent dialog that needs an answer;
  /// `nil` if there is none.
  package var questionText: String? {
    question?.text ?? approvals.first { $0.needs == .answer }?.summary
  }

  /// The requests of which lists and bars show the text: its first approval and its question.
  package var shownRequests: [PendingApproval] {
    let question = question == nil ? approvals.first { $0.needs == .answer } : nil
    return [approvals.first { $0.needs == .approval }, question].compactMap(\.self)
  }

  /// The ids of its pending questions; that of the session if the server does not name a question.
  package var questionIDs: [String] {
    let ids = approvals.filter { $0.needs == .answer }.map(\.id)
    return ids.isEmpty ? question.map { [$0.id] } ?? [] : ids
  }

  /// Whether a turn is running, or waits for the user.
  package var isAtWork: Bool { [.running, .waiting].contains(phase) }

  /// The outcome of the last turn; `nil` while one is running or if there was none.
  package var outcome: TurnEnd? {
    switch phase {
    case .waiting, .running: nil
    case .failed: turn?.end ?? .failed
    case .idle, .done: turn?.end ?? (messageCount > 0 ? .unknown : nil)
    }
  }

  static let shape = RecordShape(
    SessionStatus(id: "", phase: .idle, isLoaded: false, lastActivity: Timestamp(milliseconds: 0)),
    [
      .required("id", { $1(&$0.id) }, .wireID).means("The session's id"),
      .optional("workspaceId", { $1(&$0.workspaceID) }, .wireID)
        .means("The workspace's id on its server, if known"),
      .optional("workspaceName", { $1(&$0.workspaceName) }, .line(120))
        .means("The workspace's name, if known"),
      .optional("goal", { $1(&$0.goal) }, .line(200))
        .means("Its name, else the start of its first message, if any"),
      .required("state", { $1(&$0.phase) }, .word).means("waiting, failed, running, idle or done"),
      .defaulted("loaded", { $1(&$0.isLoaded) }, .bool).means("Whether it is loaded on its server"),
      .optional("model", { $1(&$0.model) }, .line(120)).means("Its model, if known"),
      .optional("cost", { $1(&$0.cost) }, .cost).means("Its cost so far, in dollars, if known"),
      .optional("changes", { $1(&$0.changes) }, .object(Changes.shape)).means(
        "Its file changes, if known"
      ),
      .defaulted("lastActivity", { $1(&$0.lastActivity) }, .milliseconds).means(
        "When it was last active"
      ),
      .defaulted("messageCount", { $1(&$0.messageCount) }, .count)
        .means("The number of its messages and tool results"),
      .optional("turn", { $1(&$0.turn) }, .object(TurnSummary.shape))
        .means("The running turn, or the last one if known"),
      .defaulted(
        "approvals",
        { $1(&$0.approvals) },
        .list(of: .object(PendingApproval.shape), limit: 100)
      )
      .means("Its pending approvals, the most urgent first"),
      .optional("question", { $1(&$0.question) }, .object(Question.shape))
        .means("Its pending question, if any"),
      .defaulted("pendingCount", { $1(&$0.pendingCount) }, .count)
        .means("The number of its pending dialogs, where the server counts them"),
    ]
  )
}

extension SessionStatus: Comparable {
  /// The most urgent phase first, then the latest activity.
  package static func < (first: Self, second: Self) -> Bool {
    if first.phase != second.phase { return first.phase < second.phase }
    return (first.lastActivity, first.id) > (second.lastActivity, second.id)
  }
}

extension SessionStatus {
  /// Creates a loaded session without messages.
  package init(id: String, phase: SessionPhase, lastActivity: Timestamp) {
    self.init(id: id, phase: phase, isLoaded: true, lastActivity: lastActivity)
  }

  /// Combines what a server reports about a session.
  ///
  /// `clockOffset` is how far the server's clock is ahead of this machine's. `turn` and `question`
  /// are `nil` if unknown.
  package init(
    _ session: Session,
    clockOffset: Duration,
    approvals: [PendingApproval],
    turn: TurnSummary?,
    question: Question?
  ) {
    var phase = SessionPhase(session.status, hasMessages: session.messageCount > 0)
    if !approvals.isEmpty || question != nil || session.pendingCount > 0 {
      phase = .waiting
    } else if phase != .running, turn?.failure != nil {
      phase = .failed
    }
    self.init(
      id: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName,
      goal: session.goal,
      phase: phase,
      isLoaded: session.isLoaded,
      model: session.model,
      cost: session.cost,
      changes: session.changes,
      lastActivity: session.lastActivity.moved(by: .zero - clockOffset),
      createdAt: session.createdAt.moved(by: .zero - clockOffset),
      messageCount: max(0, session.messageCount),
      turn: turn?.moved(by: .zero - clockOffset),
      approvals: approvals.sorted(),
      question: question,
      pendingCount: session.pendingCount
    )
  }
}

extension Session {
  /// Whether the server has loaded the session, so that it counts for the server's limit.
  package var isLoaded: Bool { [.ready, .busy, .stopping].contains(status) }

  /// The session's name, else the start of its first message, on one line and safe to show.
  package var goal: String? {
    [name, firstMessage].lazy.compactMap { $0?.safeLine(limit: 200) }.first { !$0.isEmpty }
  }
}

/// The state of a session, on every surface; the most urgent first.
///
/// The outcome of its last turn is another thing, with words of its own: see ``TurnOutcome``.
package enum SessionPhase: String, Sendable, CaseIterable, Comparable {
  /// An approval or a question is pending.
  case waiting
  case running
  /// The agent could not be started, or the last turn failed.
  case failed
  /// The agent is loaded and idle; it counts for the server's limit.
  case idle
  /// The session has ended or was never started; a message starts it again.
  case done

  package static func < (first: Self, second: Self) -> Bool {
    allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
  }

  /// The word of every text, and of the member `phase` in JSON.
  ///
  /// The raw value is older: in the member `state`, an ended session is `done`.
  package var word: String {
    switch self {
    case .waiting: "waiting"
    case .failed: "failed"
    case .running: "running"
    case .idle: "idle"
    case .done: "ended"
    }
  }

  package var title: String { word.prefix(1).uppercased() + word.dropFirst() }

  /// The words, for the help of JSON.
  package static var words: String {
    let words = allCases.map(\.word)
    return "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
  }

  /// For the help.
  package var meaning: String {
    switch self {
    case .waiting: "an approval or a question is pending"
    case .failed: "the agent could not be started, or its last turn failed"
    case .running: "a turn runs"
    case .idle: "no turn runs; the session is still loaded on its server"
    case .done: "the session has ended or was never started; a message starts it"
    }
  }

  /// Derives the phase if only the server's status is known.
  package init(_ status: Session.Status, hasMessages: Bool) {
    self =
      switch status {
      case .busy, .stopping: .running
      // A session that was only created keeps this status; one that is starting soon has a message.
      case .starting: hasMessages ? .running : .done
      case .ready: .idle
      case .error: .failed
      case .stopped, .unknown: .done
      }
  }
}

extension JSONField<Double> {
  fileprivate static var cost: JSONField { number.accepting { (0...1e9).contains($0) } }
}

extension SessionStatus.Changes {
  static let shape = RecordShape(
    SessionStatus.Changes(files: 0, addedLines: 0, removedLines: 0),
    [
      .defaulted("files", { $1(&$0.files) }, .count).means("The number of changed files"),
      .defaulted("addedLines", { $1(&$0.addedLines) }, .count).means("The number of added lines"),
      .defaulted("removedLines", { $1(&$0.removedLines) }, .count).means(
        "The number of removed lines"
      ),
    ]
  )
}

extension SessionStatus.Question {
  static let shape = RecordShape(
    SessionStatus.Question(id: "", text: ""),
    [
      .required("id", { $1(&$0.id) }, .wireID).means("The question's id"),
      .defaulted("text", { $1(&$0.text) }, .line(400)).means("The question's text"),
    ]
  )
}

extension TurnSummary {
  static let shape = RecordShape(
    TurnSummary(),
    [
      .optional("startedAt", { $1(&$0.startedAt) }, .milliseconds).means(
        "When it started, if known"
      ),
      .optional("endedAt", { $1(&$0.endedAt) }, .milliseconds)
        .means("When it ended, if known; absent while it runs"),
      .optional("operation", { $1(&$0.operation) }, .line(300))
        .means("The current operation, for example 'bash: swift test'"),
      .optional("todo", { $1(&$0.todo) }, .object(TodoProgress.shape))
        .means("The progress of its to-do list, if any"),
      .optional("error", { $1(&$0.failure) }, .line(400)).means(
        "Why it failed; absent if it did not fail"
      ),
      .optional("resetAt", { $1(&$0.resetAt) }, .milliseconds)
        .means("When the usage limit that it reached is reset, if known"),
      .custom("outcome") {
        $0.end.map { .string($0.rawValue) }
      } read: { outcome, turn, summary in
        let word = outcome?.string ?? turn["end"].string
        summary.end = word.flatMap(TurnEnd.init(rawValue:))
        return true
      }
      .means("finished, empty, failed, limited, stopped or unknown; absent while it runs"),
      // In place of the outcome in files of earlier versions.
      .written("end") { turn in
        turn.end.flatMap { [.stopped, .unknown].contains($0) ? .string($0.rawValue) : nil }
      }
      .means("stopped or unknown, if it ended without success or failure"),
    ]
  )
}

extension TodoProgress {
  static let shape = RecordShape(
    TodoProgress(completed: 0, total: 0),
    [
      .required("completed", { $1(&$0.completed) }, .count).means("The number of completed items"),
      .required("total", { $1(&$0.total) }, .count).means("The number of items"),
      .optional("current", { $1(&$0.current) }, .line(200)).means(
        "The current item, else the next one"
      ),
    ]
  )
}
