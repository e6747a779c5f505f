// SPDX-License-Identifier: MIT

/// The pending questions and dialogs.
///
/// The server does not report answers: a question is over when the agent continues, or when the
/// call that asked it ends.
struct OpenQuestions: Sendable {
  private(set) var all: [UserQuestion] = []

  mutating func ask(_ question: UserQuestion) -> [ActivityChange] {
    guard !all.contains(where: { $0.id == question.id }), all.count < TurnActivity.companionLimit
    else { return [] }
    all.append(question)
    return [.question(question)]
  }

  mutating func answered(_ id: String) { all.removeAll { $0.id == id } }

  /// Removes the questions of a tool call that ended.
  mutating func endCall(of tool: String) {
    if tool == "ask" { all.removeAll { $0.method == "ask" } }
  }

  /// Removes all questions because the agent continued.
  mutating func clear() { all = [] }
}
