// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The keys of the list of sessions, and what can be copied.
extension WorkTab {
  func keys(in model: ConsoleModel) -> [KeyRow] {
    let hasRows = !list.order.isEmpty
    let session = list.selection.flatMap { listed($0, model) }
    let mayChange = session != nil && !model.isReadOnly
    let isAtWork = session.map { [.running, .waiting].contains($0.phase) } ?? false
    return [
      KeyRow(
        [.enter, .right],
        "Enter",
        "open",
        help: "Show the conversation, calls and changes of the session",
        .open,
        when: session != nil
      ),
      KeyRow(
        [.text(" ")],
        "Space",
        "peek",
        help: "Show the last turn of the session",
        .peek,
        when: session != nil
      ),
      KeyRow(
        [.text("m")],
        "m",
        "reply",
        help: "Send a message to the session",
        .reply,
        when: mayChange
      ),
      KeyRow(
        [.text("s")],
        "s",
        "stop",
        help: "Stop the running turn; asks first",
        .stop,
        when: mayChange && isAtWork
      ),
      KeyRow(
        [.text("o")],
        "o",
        "chat",
        help: "Open the session in the chat",
        .chat,
        when: mayChange
      ),
    ] + ConsoleKeys.list(hasRows: hasRows) + [
      KeyRow(
        [.escape],
        "Esc",
        "all sessions",
        help: "Clear the search and the filter",
        .back,
        when: hits != nil || !text.isEmpty
      ),
      KeyRow([.text("f")], "f", "next filter", help: "Show the next group", .nextFilter),
      KeyRow([.text("F")], "F", help: "Show the previous group", .previousFilter),
    ]
  }

  /// The name of the selected session, which commands accept.
  func copyText(in model: ConsoleModel) -> String? {
    list.selection.flatMap { listed($0, model) }.map { "\($0.server)/\($0.status.id)" }
  }

  var ownHints: [KeyHint] {
    switch mode {
    case .list: []
    case .timeline:
      [
        KeyHint(keys: "↑ ↓ PageDown", label: "scroll"),
        KeyHint(keys: "Esc", label: "back to the list"),
      ]
    case .reply:
      [
        KeyHint(keys: "Enter", label: "send"),
        KeyHint(keys: "Alt-Enter", label: "new line"),
        KeyHint(keys: "Esc", label: "cancel"),
      ]
    case .stop(let question): question.hints
    }
  }
}
