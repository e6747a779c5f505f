// SPDX-License-Identifier: MIT

import OppiTerminal

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// A chat or a console with one request, which is open, without a terminal or a server.
struct RequestScreen {
  enum Surface: CaseIterable {
    case chatCall
    case chatDialog
    case chatPrefill
    case consoleCall
    case consoleDialog
    case batchCall
    case batchDialog

    var isCall: Bool { [.chatCall, .consoleCall, .batchCall].contains(self) }
    var isChat: Bool { [.chatCall, .chatDialog, .chatPrefill].contains(self) }
    var isBatch: Bool { [.batchCall, .batchDialog].contains(self) }
  }

  let surface: Surface
  let question: UserQuestion
  private(set) var size: ScreenSize
  private(set) var chat: ChatDesk
  private(set) var console: ConsoleDesk

  /// The request is a call with the command, or a dialog with the method and the members.
  init(
    _ surface: Surface,
    _ size: ScreenSize = ScreenSize(columns: 80, rows: 24),
    command: String,
    method: String,
    _ members: JSONObject
  ) throws {
    (self.surface, self.size) = (surface, size)
    let body = members.adding([
      "type": "extension_ui_request", "id": "q", "sessionId": "S", "method": .string(method),
      "timeoutAt": 9_000_000_000,
    ])
    question = UserQuestion(id: "q", method: method, body: .object(body))
    chat = ChatDesk(columns: size.columns, rows: size.rows, requests: .dialogs)
    console = surface.isBatch ? .batch() : ConsoleDesk()
    if surface.isChat {
      _ = try chat.connect("busy")
      try chat.begin()
      if surface.isCall {
        try chat.ask(command: command)
      } else {
        _ = try chat.receive(.object(body))
      }
    } else {
      console.resize(columns: size.columns, rows: size.rows)
      if !surface.isBatch { console.press("2") }
      let dialog = ConsoleDesk.listed(.question(question))
      console.answer([surface.isCall ? ConsoleDesk.request("q", command) : dialog])
      console.press(.down, .enter)
    }
  }

  /// The picture with the cursor.
  var view: ScreenView {
    surface.isChat ? chat.screen.view(at: Timestamp(milliseconds: 0), frame: 0) : console.view
  }

  var lines: [String] { surface.isChat ? chat.lines : console.lines }

  mutating func resize(_ size: ScreenSize) {
    self.size = size
    if surface.isChat {
      _ = chat.resize(columns: size.columns, rows: size.rows)
    } else {
      console.resize(columns: size.columns, rows: size.rows)
    }
  }

  /// Whether a key lets the agent continue; `nil` if the request is over otherwise.
  mutating func press(_ key: Key, after pause: Duration) -> Bool? {
    switch surface {
    case .chatCall:
      let decisions = chat.press(key, after: pause).decisions
      return decisions.isEmpty ? false : decisions.contains { $0 != .deny } ? true : nil
    case .chatDialog, .chatPrefill:
      let answers = chat.press(key, after: pause).answers
      return answers.isEmpty ? false : answers.contains { !$0.isRefusal } ? true : nil
    case .consoleCall, .consoleDialog:
      let effects = console.press(key, after: pause)
      for case .reply(let reply, _, _) in effects { return reply.isRefusal ? nil : true }
      let tab = console.screen.tabs[console.screen.selected] as? ListTab<ApprovalsSource>
      return tab?.page == nil ? nil : false
    case .batchCall, .batchDialog:
      console.press(key, after: pause)
      if let mark = console.mark("q") { return mark == "deny" ? nil : true }
      return console.opened == nil ? nil : false
    }
  }
}
