// SPDX-License-Identifier: MIT

/// The questions and dialogs that wait for an answer.
///
/// The server never says that one was answered: it is over when the agent goes on, or when the call
/// that put it ends.
struct OpenQuestions: Sendable {
  private(set) var all: [UserQuestion] = []

  /// Takes a question that nobody has put before.
  mutating func ask(_ question: UserQuestion) -> [ActivityChange] {
    guard !all.contains(where: { $0.id == question.id }), all.count < TurnActivity.companionLimit
    else { return [] }
    all.append(question)
    return [.question(question)]
  }

  /// Drops a question that was answered here.
  mutating func answered(_ id: String) { all.removeAll { $0.id == id } }

  /// Takes it that a call of a tool has ended, which answers the questions that it put.
  mutating func endCall(of tool: String) {
    if tool == "ask" { all.removeAll { $0.method == "ask" } }
  }

  /// Takes it that the agent goes on.
  mutating func clear() { all = [] }
}
