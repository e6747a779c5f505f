// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A message for the chat itself: a slash, a name and an argument.
enum ChatCommand: String, CaseIterable, Sendable {
  case help
  case new
  case resume
  case open
  case rename
  case model
  case thinking
  case steer
  case image
  case show
  case earlier
  case diff
  case cost
  case export
  case stop
  case quit

  var help: (argument: String, summary: String) {
    switch self {
    case .help: ("", "List these commands and the keys")
    case .new: ("", "Open a new session in the same workspace")
    case .resume: ("[SESSION]", "Open another session, by its id or words of its title")
    case .open: ("[CHILD]", "Open a child session of this one")
    case .rename: ("[NAME]", "Show or set the name of the session")
    case .model: ("[ID]", "Show or set the model; also sets the workspace's default")
    case .thinking:
      ("[LEVEL]", "Show or set the thinking level (\(ThinkingLevel.words))")
    case .steer: ("TEXT", "Steer the running turn")
    case .image: ("[FILE]", "Attach an image to the next message, or remove all images")
    case .show: ("[NUMBER]", "Show the last turns, or a call with its full output")
    case .earlier: ("", "Show earlier turns")
    case .diff: ("", "Show the last edit in full")
    case .cost: ("", "Show the cost and the used context")
    case .export: ("FILE", "Write the conversation to a new file, in Markdown")
    case .stop: ("", "Stop the turn (Ctrl-C)")
    case .quit: ("", "Exit (Ctrl-D); the agent continues")
    }
  }

  /// The command with a name; `nil` without one.
  init?(name: some StringProtocol) {
    // The earlier name of the command.
    self.init(rawValue: name == "name" ? "rename" : String(name))
  }

  /// How it is written, with its argument.
  var form: String { help.argument.isEmpty ? "/\(rawValue)" : "/\(rawValue) \(help.argument)" }

  /// Whether its argument is among those that the chat knows.
  var completesArgument: Bool { opensSession || self == .model || self == .thinking }

  /// Whether its argument is a session.
  var opensSession: Bool { self == .resume || self == .open }

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
    guard ChatCommand(name: word) == nil else {
      return "/\(word) takes one line; press Enter again to send it to the agent"
    }
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
    case .help: return [.help]
    case .new: return openSession(.new)
    case .resume, .open: return openSession(matching: argument, by: command)
    case .rename:
      guard !argument.isEmpty else { return [.say("name: \(session?.name ?? "none")")] }
      return change(.setSessionName(argument), saying: "name: \(argument.safeLine())")
    case .model:
      guard !argument.isEmpty else { return [.say("model: \(session?.model ?? "unknown")")] }
      return change(.setModel(argument), saying: "model: \(argument.safeLine())")
    case .thinking: return setThinking(argument)
    case .steer:
      return argument.isEmpty
        ? [.say("/steer requires a text")] : sendWithImages(argument, whenBusy: .steer, at: now)
    case .image:
      return argument.isEmpty ? removeImages() : attach(DroppedFile.path(argument))
    case .show:
      guard !argument.isEmpty else { return [.read(.turns(before: nil))] }
      return Int(argument).map { [.read(.call($0))] } ?? [
        .say("/show requires the number of a call")
      ]
    case .earlier: return [.read(.turns(before: firstTurn))]
    case .diff: return [.read(.lastEdit)]
    case .cost: return [.say(cost)]
    case .export: return argument.isEmpty ? [.say("/export requires a file")] : [.export(argument)]
    case .stop: return stop()
    case .quit: return leave(at: now)
    }
  }

  private mutating func setThinking(_ word: String) -> [ChatEffect] {
    guard !word.isEmpty else { return [.say("thinking: \(session?.thinkingLevel ?? "unknown")")] }
    guard let level = ThinkingLevel(rawValue: word) else {
      let levels = ThinkingLevel.allCases.map(\.rawValue).joined(separator: ", ")
      return [.say("no level '\(word.safeLine())'; levels: \(levels)")]
    }
    if let model = models.first(where: { $0.id == session?.model }), model.lacks(level) {
      return [.say("\(model.lackOf(level)); update the list with: oppi models")]
    }
    return change(.setThinkingLevel(level), saying: "thinking: \(word)")
  }

  /// The cost of the session and the used part of the context, as far as the server reports them.
  private var cost: String {
    let cost = session?.cost.map { CostText.of($0) }
    let window = session?.contextWindow.map { " of \($0)" } ?? ""
    let context = session?.contextTokens.map { " · context: \($0)\(window) tokens" } ?? ""
    return "cost: \(cost.map { $0.isEmpty ? "below $0.01" : $0 } ?? "unknown")\(context)"
  }

  /// The commands of the chat with what they do.
  static var help: [StyledText] {
    helpRows(ChatCommand.allCases.map { ($0.form, $0.help.summary) }) + [
      StyledText("Other names that begin with / go to the agent after a second Enter.", .dim),
      StyledText("/skill:… and paths go to the agent at once.", .dim),
    ]
  }

  static func helpRows(_ rows: [(name: String, summary: String)]) -> [StyledText] {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, summary in
      let padding = String(repeating: " ", count: width - name.count + 2)
      return StyledText("  \(name)\(padding)", .code).with(StyledText(summary))
    }
  }
}

extension ChatScreen {
  /// The commands, and the keys that work here.
  var help: [StyledText] {
    let keys = [
      ("Enter", "Send; while the agent works, queue or steer"),
      ("Alt-Enter, Ctrl-J", "Insert a line break"), ("Tab", "Complete; else queue or steer"),
      ("Up, Ctrl-R", "Show or search earlier messages"), ("Ctrl-G", "Open the editor"),
      ("Ctrl-O", "Show pasted text"), ("Ctrl-_", "Undo"),
    ]
    let leaving = [
      ("Esc Esc", "Stop the turn"), ("Ctrl-C", "Clear the draft, else stop the turn"),
      ("Ctrl-D", "Exit; the agent continues"),
    ]
    return ChatState.help + [StyledText()]
      + ChatState.helpRows(isEmbedded ? keys : keys + leaving)
  }
}
