// SPDX-License-Identifier: MIT

extension SessionStatus {
  static let shape = RecordShape(
    SessionStatus(id: "", phase: .idle, isLoaded: false, lastActivity: Timestamp(milliseconds: 0)),
    [
      .required("id", \.id, .wireID).means("The session's id"),
      .optional("workspaceId", \.workspaceID, .wireID)
        .means("The workspace's id on its server, if known"),
      .optional("workspaceName", \.workspaceName, .line(120))
        .means("The workspace's name, if known"),
      .optional("goal", \.goal, .line(200))
        .means("Its name, else the start of its first message, if any"),
      .required("state", \.phase, .word).means("waiting, failed, running, idle or done"),
      .defaulted("loaded", \.isLoaded, .bool).means("Whether it is loaded on its server"),
      .optional("model", \.model, .line(120)).means("Its model, if known"),
      .optional("cost", \.cost, .cost).means("Its cost so far, in dollars, if known"),
      .optional("changes", \.changes, .object(Changes.shape)).means("Its file changes, if known"),
      .defaulted("lastActivity", \.lastActivity, .milliseconds).means("When it was last active"),
      .defaulted("messageCount", \.messageCount, .count)
        .means("The number of its messages and tool results"),
      .optional("turn", \.turn, .object(TurnSummary.shape))
        .means("The running turn, or the last one if known"),
      .defaulted("approvals", \.approvals, .list(of: .object(PendingApproval.shape), limit: 100))
        .means("Its pending approvals, the most urgent first"),
      .optional("question", \.question, .object(Question.shape))
        .means("Its pending question, if any"),
      .defaulted("pendingCount", \.pendingCount, .count)
        .means("The number of its pending dialogs, where the server counts them"),
    ]
  )
}

extension JSONField<Double> {
  fileprivate static var cost: JSONField { number.accepting { (0...1e9).contains($0) } }
}

extension SessionStatus.Changes {
  static let shape = RecordShape(
    SessionStatus.Changes(files: 0, addedLines: 0, removedLines: 0),
    [
      .defaulted("files", \.files, .count).means("The number of changed files"),
      .defaulted("addedLines", \.addedLines, .count).means("The number of added lines"),
      .defaulted("removedLines", \.removedLines, .count).means("The number of removed lines"),
    ]
  )
}

extension SessionStatus.Question {
  static let shape = RecordShape(
    SessionStatus.Question(id: "", text: ""),
    [
      .required("id", \.id, .wireID).means("The question's id"),
      .defaulted("text", \.text, .line(400)).means("The question's text"),
    ]
  )
}

extension TurnSummary {
  static let shape = RecordShape(
    TurnSummary(),
    [
      .optional("startedAt", \.startedAt, .milliseconds).means("When it started, if known"),
      .optional("endedAt", \.endedAt, .milliseconds)
        .means("When it ended, if known; absent while it runs"),
      .optional("operation", \.operation, .line(300))
        .means("The current operation, for example 'bash: swift test'"),
      .optional("todo", \.todo, .object(TodoProgress.shape))
        .means("The progress of its to-do list, if any"),
      .optional("error", \.failure, .line(400)).means("Why it failed; absent if it did not fail"),
      .optional("resetAt", \.resetAt, .milliseconds)
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
      .required("completed", \.completed, .count).means("The number of completed items"),
      .required("total", \.total, .count).means("The number of items"),
      .optional("current", \.current, .line(200)).means("The current item, else the next one"),
    ]
  )
}
