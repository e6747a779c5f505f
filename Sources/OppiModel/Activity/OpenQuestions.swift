// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// The pending questions and dialogs, in the order of their arrival.
///
/// Some servers report when a dialog is settled, and repeat the pending ones on each connection. On
/// other servers a question is over when the agent continues, or when the call that asked it ends.
struct OpenQuestions: Sendable {
  /// The tool that asks the user.
  private static let tool = "ask"

  private(set) var all: [UserQuestion] = []
  /// Whether the server reports settled dialogs.
  let areReported: Bool
  /// The questions that the server has not repeated since the last connection.
  private var unrepeated: Set<String> = []
  /// Whether the server has reported a question of the tool since the agent went on.
  private var isAskReported = false

  init(areReported: Bool = false) {
    self.areReported = areReported
  }

  mutating func ask(_ question: UserQuestion) -> [ActivityChange] {
    unrepeated.remove(question.id)
    if question.method == Self.tool { isAskReported = true }
    let isNews = all.put(question) { $0.isAbout(sameAs: question) }
    return isNews ? [.question(question)] : []
  }

  /// Removes a question that was answered here.
  mutating func answered(_ id: String) { all.removeAll { $0.id == id } }

  /// Removes a question that the server reports as settled.
  mutating func settle(_ id: String) -> [ActivityChange] {
    guard all.contains(where: { $0.id == id }) else { return [] }
    answered(id)
    return [.questionSettled(id: id)]
  }

  /// Marks all questions for a new connection, on which the server repeats the pending ones.
  mutating func reconnect() { unrepeated = Set(all.map(\.id)) }

  /// Removes the questions of a tool call that ended.
  mutating func endCall(of tool: String) {
    if tool == Self.tool, !areReported { all.removeAll { $0.method == Self.tool } }
  }

  /// Removes all questions that are over because the agent continued.
  mutating func goOn() {
    guard areReported else { return clear() }
    all.removeAll { unrepeated.contains($0.id) }
    unrepeated = []
  }

  /// Removes all questions because the agent ended.
  mutating func clear() { (all, unrepeated, isAskReported) = ([], [], false) }

  /// What a running call asks, if the server has not told this program.
  func unreported(in call: ToolCallActivity?) -> UserQuestion? {
    guard let call, call.tool == Self.tool, !areReported, !isAskReported else { return nil }
    return UserQuestion(id: call.id, method: Self.tool, body: call.arguments)
  }

  /// The questions that are still pending in the next turn.
  var next: OpenQuestions { areReported ? self : OpenQuestions() }
}
