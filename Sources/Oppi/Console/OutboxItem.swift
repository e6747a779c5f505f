// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiTerminal
import OppiText

/// A prompt of the outbox on the console.
struct OutboxItem: ListItem {
  /// A longer prompt is shown up to here: a detail is laid out for each view.
  private static let textLimit = 64 << 10

  /// The prompt, without its images and a long end.
  let prompt: QueuedPrompt
  /// The start of the text in one line.
  let title: String
  /// What 'oppi outbox show' prints.
  private let page: [StyledText]

  init(_ row: QueuedPromptRow) {
    var shown = row.prompt
    shown.content.text = shown.content.text.head(bytes: Self.textLimit)
    let isCut = shown.content.text.utf8.count < row.prompt.content.text.utf8.count
    let rest = "only the start; show all with: oppi outbox show \(shown.key)"
    page =
      QueuedPromptRow(prompt: shown, now: row.now).page
      + (isCut ? [StyledText(rest, .warning)] : [])
    shown.content.images = []
    (prompt, title) = (shown, shown.content.text.safeLine(limit: 200))
  }

  var id: OutboxKey { prompt.key }

  /// Whether nothing happens with it until the user decides.
  var needsUser: Bool { prompt.isDone && !prompt.state.isDelivered }

  func row(at now: Timestamp) -> QueuedPromptRow { QueuedPromptRow(prompt: prompt, now: now) }

  func keys(isReadOnly: Bool, at now: Timestamp) -> [KeyRow] {
    let row = row(at: now)
    let (send, drop) = (ConsoleChange.send(row), ConsoleChange.drop(row))
    let sendHelp = "Send the queued prompt now, check its delivery, or send it again; asks first"
    let dropHelp = "Remove the prompt from the outbox without sending it; asks first"
    let verb = send?.verb ?? ""
    return [
      KeyRow("R", verb, help: sendHelp, send.map(ConsoleAction.ask), when: !isReadOnly)
        .spoken(2, "\(verb) it"),
      KeyRow("D", "drop", help: dropHelp, drop.map(ConsoleAction.ask), when: !isReadOnly)
        .spoken(3, "drop it"),
    ]
  }

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    page.flatMap { $0.folded(to: width) }
  }

  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let row = row(at: now)
    let facts = ["queued prompt, \(prompt.state.word): \(title)", row.note, "to \(row.place)"]
    return SpokenItem(
      line: facts.filter { !$0.isEmpty }.joined(separator: "; "),
      title: "queued prompt: \(title)",
      state: .init(text: prompt.state.word),
      detail: detail(width: width, at: now)
    )
  }

  var copyText: String { prompt.key.text }
}
