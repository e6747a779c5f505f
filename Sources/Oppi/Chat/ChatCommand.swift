// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// A message for the chat itself: a slash, a name and an argument.
enum ChatCommand: String, CaseIterable, Sendable {
  case help
  case model
  case thinking
  case name
  case steer
  case show
  case earlier
  case stop
  case quit

  var help: (argument: String, summary: String) {
    switch self {
    case .help: ("", "List these commands")
    case .model: ("[ID]", "Show or set the model; also sets the workspace's default")
    case .thinking:
      ("[LEVEL]", "Show or set the thinking level (\(ThinkingLevel.words))")
    case .name: ("[NAME]", "Show or set the name of the session")
    case .steer: ("TEXT", "Steer the running turn")
    case .show: ("[NUMBER]", "Show the last turns, or a call with its full output")
    case .earlier: ("", "Show earlier turns")
    case .stop: ("", "Stop the turn (Ctrl-C)")
    case .quit: ("", "Exit (Ctrl-D); the agent continues")
    }
  }

  /// The command with a name; `nil` without one.
  init?(name: some StringProtocol) { self.init(rawValue: String(name)) }

  /// How it is written, with its argument.
  var form: String {
    ["/\(rawValue)", help.argument].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Whether its argument is among those that the chat knows.
  var completesArgument: Bool { self == .model || self == .thinking }

  /// Parses a message; `nil` if it is for the agent, as with any other name.
  static func parse(_ text: String) -> (command: ChatCommand, argument: String)? {
    guard text.hasPrefix("/"), !text.contains("\n") else { return nil }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1)
    guard let command = words.first.flatMap({ ChatCommand(name: $0) }) else { return nil }
    return (command, words.count > 1 ? words[1].trimmed : "")
  }

  /// Why a message is not sent at once: it looks like a command that neither the chat nor the agent
  /// is known to have.
  ///
  /// The agent may have it, so the user can send it. Paths, and names such as `/skill:…`, do not
  /// look like commands of the chat.
  static func refusal(of text: String, ofAgent commands: [AgentCommand] = []) -> String? {
    guard text.hasPrefix("/"), parse(text) == nil,
      let word = text.dropFirst().split(whereSeparator: \.isWhitespace).first,
      word.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "-") }),
      !commands.contains(where: { $0.name == word })
    else { return nil }
    let close = Suggestions.closest(to: String(word), among: allCases.map(\.rawValue))
    let suggestion = close.first.map { "did you mean /\($0)? " } ?? ""
    return "no command /\(word.prefix(40)); \(suggestion)press Enter again to send it to the agent"
  }
}

extension ChatState {
  mutating func perform(
    _ command: ChatCommand,
    _ argument: String,
    at now: Duration
  ) -> [ChatEffect] {
    switch command {
    case .help: return [.print(Self.help)]
    case .model:
      guard !argument.isEmpty else { return [.say("model: \(session?.model ?? "unknown")")] }
      return change(.setModel(argument), saying: "model: \(argument.safeLine())")
    case .thinking:
      guard !argument.isEmpty else {
        return [.say("thinking: \(session?.thinkingLevel ?? "unknown")")]
      }
      guard let level = ThinkingLevel(rawValue: argument) else {
        let levels = ThinkingLevel.allCases.map(\.rawValue).joined(separator: ", ")
        return [.say("no level '\(argument.safeLine())'; levels: \(levels)")]
      }
      if let model = models.first(where: { $0.id == session?.model }), model.lacks(level) {
        return [.say("\(model.lackOf(level)); update the list with: oppi models")]
      }
      return change(.setThinkingLevel(level), saying: "thinking: \(argument)")
    case .name:
      guard !argument.isEmpty else { return [.say("name: \(session?.name ?? "none")")] }
      return change(.setSessionName(argument), saying: "name: \(argument.safeLine())")
    case .steer:
      return argument.isEmpty
        ? [.say("/steer requires a text")] : send(argument, whenBusy: .steer, at: now)
    case .show:
      guard !argument.isEmpty else { return [.read(.turns(before: nil))] }
      return Int(argument).map { [.read(.call($0))] } ?? [
        .say("/show requires the number of a call")
      ]
    case .earlier: return [.read(.turns(before: firstTurn))]
    case .stop: return stop()
    case .quit: return leave(at: now)
    }
  }

  private static var help: [StyledText] {
    let rows = ChatCommand.allCases.map { command in
      (name: command.form, summary: command.help.summary)
    }
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, summary in
      let padding = String(repeating: " ", count: width - name.count + 2)
      return StyledText("  \(name)\(padding)", .code).with(StyledText(summary))
    } + [
      StyledText("Other names that begin with / go to the agent after a second Enter.", .dim),
      StyledText("/skill:… and paths go to the agent at once.", .dim),
    ]
  }
}
