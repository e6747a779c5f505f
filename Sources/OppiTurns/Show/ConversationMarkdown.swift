// SPDX-License-Identifier: MIT

package import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// A conversation as a Markdown document for forges, issues and notes.
///
/// Messages of the agent are Markdown as written, except that each ends its own code blocks. Prompts,
/// titles, calls and outputs are text that cannot end its part of the document.
struct ConversationMarkdown {
  /// The most lines of an output; of a longer one, the middle is left out.
  static let lineLimit = 200
  /// The most bytes of a line of an output.
  static let lineSize = 1000

  let session: Session
  /// The name of its workspace.
  let place: String
  /// The name of its server.
  let server: String
  let turns: [Turn]

  /// The document, safe to show, without a line break at the end.
  var text: String {
    let title = session.goal.map(MarkdownQuote.words) ?? "Session \(MarkdownQuote.code(session.id))"
    let blocks = [["# \(title)"], facts] + turns.flatMap(blocks)
    return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private var facts: [String] {
    let rows: [(String, String)] = [
      ("Session", MarkdownQuote.code(session.id)),
      ("Workspace", MarkdownQuote.words(place)),
      ("Server", MarkdownQuote.words(server)),
      ("Model", session.model.map(MarkdownQuote.code) ?? ""),
      ("Created", session.createdAt.milliseconds > 0 ? session.createdAt.iso8601 : ""),
      ("Last active", session.lastActivity.milliseconds > 0 ? session.lastActivity.iso8601 : ""),
    ]
    return rows.filter { !$0.1.isEmpty }.map { "- **\($0.0):** \($0.1)" }
  }

  // MARK: - Turns

  /// The paragraphs of a turn; its heading has the outcome unless it succeeded.
  private func blocks(of turn: Turn) -> [[String]] {
    let word = StatusMark(turn).word.lowercased()
    let heading = "## Turn \(turn.number)" + (turn.answer == nil ? " (\(word))" : "")
    let times = [turn.startedAt?.iso8601, turn.duration.map(ElapsedTime.text)]
      .compactMap(\.self).joined(separator: ", ")
    var blocks = [[heading]]
    if !times.isEmpty { blocks.append([times]) }
    if let prompt = turn.prompt { blocks += Self.message(prompt, labelled: "Prompt") }
    if turn.imageCount > 0 { blocks.append([turn.imageCount.counted("image")]) }
    blocks += turn.steps.flatMap(Self.blocks)
    if let error = turn.outcome.flatMap(ActivityJSON.error) {
      blocks.append(["**\(StatusMark(turn).word)**"])
      blocks.append(MarkdownQuote.block(TextBlock.lines(of: error)))
    }
    return blocks
  }

  private static func message(_ text: String, labelled label: String) -> [[String]] {
    var lines = text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return [["**\(label)**"], MarkdownQuote.block(lines.map { String($0) }, info: "text")]
  }

  private static func blocks(of step: Turn.Step) -> [[String]] {
    switch step {
    case .text(let text): [MarkdownQuote.whole(text)]
    case .steer(let text): message(text, labelled: "Message to the running turn")
    case .call(let call): blocks(of: call)
    }
  }

  // MARK: - Calls

  private static func blocks(of call: ToolCallActivity) -> [[String]] {
    let facts = CallFacts(call)
    let state = [facts.mark.word, facts.duration].compactMap(\.self).joined(separator: ", ")
    let note = "(\(state)\(facts.rejection.map { ": \($0)" } ?? ""))"
    let title = facts.title
    let lines = output(of: call)
    guard !lines.isEmpty else {
      let words = MarkdownQuote.words(note)
      return [["Call \(call.number): \(MarkdownQuote.code(title)) \(words)"]]
    }
    let words = MarkdownQuote.html(note)
    let summary = "Call \(call.number): <code>\(MarkdownQuote.html(title))</code> \(words)"
    return [
      ["<details><summary>\(summary)</summary>"],
      MarkdownQuote.block(lines, info: "text"),
      ["</details>"],
    ]
  }

  /// The lines of a call's output; of a long one, the first and the last.
  private static func output(of call: ToolCallActivity) -> [String] {
    guard let output = call.recordedOutput else { return [] }
    let all = TextBlock.lines(of: output)
    let missing = all.count - lineLimit
    let half = lineLimit / 2
    let lines =
      missing > 0
      ? all.prefix(half) + ["… \(missing.counted("line")) left out …"] + all.suffix(half) : all
    let kept = lines.map { line in
      line.utf8.count > lineSize ? line.head(bytes: lineSize) + "…" : line
    }
    let lost = call.output.totalBytes - output.utf8.count
    return lost > 0 ? ["… \(lost.counted("byte")) not kept by the server …"] + kept : kept
  }
}

extension ConversationMarkdown {
  init(_ shown: Shown) {
    self.init(
      session: shown.conversation.session,
      place: shown.workspace.name ?? shown.workspace.id ?? "",
      server: shown.session.server.name,
      turns: shown.turns
    )
  }
}

extension ReadConversation {
  /// The whole conversation as the document of `oppi show --all --markdown`.
  package func markdown(of session: ServerSession) async throws(OppiError) -> String {
    let conversation = try await read(session)
    var shown = Shown(session: session, conversation: conversation)
    shown.turns = try await turns(.max, of: conversation.transcript)
    let document = ConversationMarkdown(shown)
    return try await compute(from: conversation.transcript) { document.text + "\n" }
  }
}
