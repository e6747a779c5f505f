// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// The part of a draft before the cursor that can be completed.
enum CompletionTarget: Equatable {
  /// The name of a command, without the slash.
  case command(String)
  case argument(of: ChatCommand, String)
  /// The path of a file, without the `@`.
  case file(String)

  init?(_ composer: Composer) {
    let line = composer.firstLineBeforeCursor.flatMap { $0.first == "/" ? $0.dropFirst() : nil }
    if let line {
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count > 1 else {
        self = .command(String(line))
        return
      }
      if let command = ChatCommand(name: words[0]), command.completesArgument {
        self = .argument(of: command, String(words[1]))
        return
      }
    }
    let word = composer.wordBeforeCursor
    guard word.first == "@" else { return nil }
    self = .file(String(word.dropFirst()))
  }

  /// The number of characters that a candidate replaces.
  var length: Int {
    switch self {
    case .command(let text), .file(let text): text.count + 1
    case .argument(_, let text): text.count
    }
  }
}

/// What a server lists for completion, as far as it was asked for.
struct CompletionLists: Sendable {
  private(set) var commands: [AgentCommand] = []
  private(set) var files = FilePaths()
  /// The id of the request for the commands of the present agent.
  private var commandsID: String?
  private var hasAskedForFiles = false
  /// The latest first.
  private(set) var sessions: [Session] = []
  private var hasAskedForSessions = false

  /// Requests what is needed to complete a target, once.
  mutating func ask(for target: CompletionTarget, newID: () -> String) -> [ChatEffect] {
    switch target {
    case .command where commandsID == nil:
      let id = newID()
      commandsID = id
      return [.list(.commands(id: id))]
    case .file where !hasAskedForFiles:
      hasAskedForFiles = true
      return [.list(.files)]
    case .argument(let command, _) where command.opensSession && !hasAskedForSessions:
      return askForSessions()
    case .command, .file, .argument: return []
    }
  }

  mutating func askForSessions() -> [ChatEffect] {
    hasAskedForSessions = true
    return [.list(.sessions)]
  }

  /// Takes the answer to the request for commands; returns false for another result.
  mutating func take(_ result: CommandResult) -> Bool {
    guard let commandsID, result.requestID == commandsID else { return false }
    commands = result.agentCommands
    return true
  }

  /// Takes the paths of files; `nil` if the server cannot be asked, which is then asked again.
  mutating func take(_ paths: [String]?) {
    hasAskedForFiles = paths != nil
    files = FilePaths(paths ?? [])
  }

  mutating func take(_ sessions: [Session]) { self.sessions = sessions }

  /// A new connection may lead to another agent.
  mutating func forgetCommands() { commandsID = nil }
}

/// The paths of a workspace's files, for a search by typed characters.
struct FilePaths: Sendable {
  static let matchLimit = 50

  private let paths: [String]
  /// In lower case, as UTF-8.
  private let keys: [[UInt8]]

  init(_ paths: [String] = []) {
    self.paths = paths
    keys = paths.map { Array($0.lowercased().utf8) }
  }

  /// The paths that contain the characters in this order, ignoring case; those come first whose file
  /// name starts with them, then those that contain them closest together.
  func matches(_ text: String) -> [String] {
    let wanted = Array(text.lowercased().utf8)
    guard !wanted.isEmpty else { return Array(paths.prefix(Self.matchLimit)) }
    let found = keys.indices.compactMap { index in
      Self.spread(of: wanted, in: keys[index]).map { (rank: $0, index: index) }
    }
    return found.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }
      .prefix(Self.matchLimit).map { paths[$0.index] }
  }

  /// The length of the part of a path that has all characters; 0 if the file name starts with them,
  /// and `nil` if one is missing.
  private static func spread(of wanted: [UInt8], in path: [UInt8]) -> Int? {
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    if path[name...].starts(with: wanted) { return 0 }
    var rest = wanted[...]
    guard
      let end = path.firstIndex(where: { byte in
        if byte == rest.first { rest.removeFirst() }
        return rest.isEmpty
      })
    else { return nil }
    rest = wanted[...]
    let start = path[...end].lastIndex { byte in
      if byte == rest.last { rest.removeLast() }
      return rest.isEmpty
    }
    return end - (start ?? 0) + 1
  }
}

extension ChatState {
  func candidates(for target: CompletionTarget) -> [CompletionMenu.Candidate] {
    switch target {
    case .command(let start): commands(startingWith: start.lowercased())
    case .argument(let command, let start):
      arguments(of: command, start.lowercased())
    case .file(let text): lists.files.matches(text).map { .init("@\($0) ", name: $0) }
    }
  }

  /// The commands of the chat, and below them those of the agent.
  private func commands(startingWith start: String) -> [CompletionMenu.Candidate] {
    let own = ChatCommand.allCases.filter { $0.rawValue.hasPrefix(start) }.map { command in
      let space = command.help.argument.isEmpty ? "" : " "
      return CompletionMenu.Candidate(
        "/\(command.rawValue)\(space)",
        name: command.form,
        summary: command.help.summary
      )
    }
    let ofAgent = lists.commands.filter { command in
      command.name.lowercased().hasPrefix(start) && ChatCommand(name: command.name) == nil
    }
    return own
      + ofAgent.map { .init("/\($0.name) ", name: "/\($0.name)", summary: $0.summary) }
  }

  private func arguments(of command: ChatCommand, _ text: String) -> [CompletionMenu.Candidate] {
    if command.opensSession { return sessions(for: command, matching: text).map(candidate) }
    let names = command == .model ? models.map(\.id) : ThinkingLevel.allCases.map(\.rawValue)
    return names.filter { $0.lowercased().contains(text) }.map { .init($0) }
  }
}

/// The menu of candidates below a draft.
extension ChatScreen {
  /// Applies a key to the menu; returns false for a key with its usual meaning.
  mutating func complete(by key: Key) -> Bool {
    guard let menu else { return false }
    switch key {
    case .up, .control("p"): self.menu?.move(down: false)
    case .down, .control("n"): self.menu?.move(down: true)
    case .tab: take(menu.preferred)
    case .enter:
      guard let chosen = menu.chosen else { return false }
      take(chosen)
    default: return false
    }
    return true
  }

  /// Puts a candidate into the draft, and sends nothing.
  private mutating func take(_ candidate: CompletionMenu.Candidate) {
    note = nil
    if let target = CompletionTarget(composer) {
      composer.complete(last: target.length, with: candidate.text)
    }
    closeMenu()
  }

  /// Begins a command in the draft, whose arguments the menu then offers.
  mutating func begin(_ command: ChatCommand) {
    composer.replace("/\(command.rawValue) ")
    (isTyped, note) = (true, "type words of its title")
    menu = CompletionMenu(state.candidates(for: .argument(of: command, "")))
  }

  mutating func closeMenu() { (menu, isTyped) = (nil, false) }

  /// Offers candidates after a key that was typed; a paste and other keys close the menu.
  mutating func offerCandidates(after key: Key) -> Effects {
    closeMenu()
    switch key {
    case .text, .backspace: isTyped = true
    default: return []
    }
    return renewMenu()
  }

  /// Updates the menu to the draft, and to what the server lists.
  mutating func renewMenu() -> Effects {
    guard isTyped, composer.search == nil, let target = CompletionTarget(composer) else {
      menu = nil
      return []
    }
    menu = CompletionMenu(state.candidates(for: target), after: menu)
    return settle(state.lists.ask(for: target, newID: state.newID))
  }
}
