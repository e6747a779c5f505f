// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// `oppi __complete`: the candidates for completion scripts.
///
/// Silent on failure; never uses the network.
enum Complete {
  struct Options: Sendable, Equatable {
    var words: [String] = []
  }

  static let command: Command = Command(
    "__complete",
    "Print completion candidates",
    isHidden: true,
    options: Options(),
    arguments: [.positional("word", \.words, "The words of the command line")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let answer = CompletionEngine.candidates(words: options.words, in: OppiTable.tool) { kind in
      CompletionKind(rawValue: kind)
        .map { candidates($0, words: options.words, in: context) } ?? []
    }
    // A shell would print them between its prompt and the candidates.
    _ = context.files.faults.take()
    var text = answer.text
    if text.hasSuffix("\n") { text.removeLast() }
    let lines = text.split(separator: "\n").map { JSONValue.string(String($0)) }
    return Report(.array(lines), text.isEmpty ? .nothing : .text(text))
  }

  private static func candidates(
    _ kind: CompletionKind,
    words: [String],
    in context: Context
  ) -> [CompletionCandidate] {
    let paired = (try? context.serverStore.load().servers) ?? []
    let servers = servers(chosenBy: words, among: paired, in: context)
    let seen = context.lastSeen.filter { session in
      servers.contains { $0.id == session.id.serverID }
    }
    switch kind {
    // The choice may be the word that is being typed.
    case .server: return paired.map { CompletionCandidate($0.name, $0.endpoint.description) }
    case .workspace:
      let typed = value(of: words.last ?? "")
      return names(of: workspaces(of: servers, beginning: typed, in: context), typed: typed)
    case .model: return models(of: servers, in: context)
    case .session: return sessions(seen, in: context)
    case .question:
      return requests(of: seen, servers, in: context) { $0.kind != .permission } + questions(seen)
    case .approval: return requests(of: seen, servers, in: context) { $0.needs == .approval }
    case .request: return requests(of: seen, servers, in: context) { _ in true }
    case .outbox: return prompts(in: context)
    case .shortcut: return shortcuts(in: context)
    case .schedule: return schedules(in: context)
    case .example: return Example.all.map { CompletionCandidate($0.name, $0.summary) }
    case .exampleFile:
      let example = Example.all.first { words.dropLast().contains($0.name) }
      return (example?.files ?? []).map { CompletionCandidate($0.path) }
    case .value:
      guard let key = try? ConfigKey.named(words.dropLast().last ?? "") else { return [] }
      return values(of: key, words, in: context)
    case .topic:
      let tool = OppiTable.tool
      return tool.topics.map { CompletionCandidate($0.name, $0.summary) }
        + tool.root.visibleSubcommands.map { CompletionCandidate($0.name, $0.summary) }
    }
  }

  private static func shortcuts(in context: Context) -> [CompletionCandidate] {
    ((try? context.shortcuts.all()) ?? []).map { name in
      let shortcut = try? context.shortcuts.shortcut(name)
      return CompletionCandidate(name.text, shortcut?.prompt.safeLine(limit: 60) ?? "")
    }
  }

  private static func schedules(in context: Context) -> [CompletionCandidate] {
    ((try? context.schedules.all()) ?? []).map { name in
      let trigger = try? context.schedules.load(name.text)?.schedule.trigger
      let words = trigger.map { "\($0.kind.rawValue) \($0.text)".safeLine(limit: 60) }
      return CompletionCandidate(name.text, words ?? "")
    }
  }

  /// The servers that the command line selects.
  private static func servers(
    chosenBy words: [String],
    among all: [PairedServer],
    in context: Context
  ) -> [PairedServer] {
    let name = zip(words, words.dropFirst()).first { $0.0 == "--server" }?.1
    let joined = words.first { $0.hasPrefix("--server=") }.map(value)
    return (name ?? joined ?? context.serverChoice).flatMap { try? [all.named($0)] } ?? all
  }

  /// The last session, then the last seen ones, the most urgent first.
  private static func sessions(
    _ seen: [ListedSession],
    in context: Context
  ) -> [CompletionCandidate] {
    // Completion cannot show errors.
    let used = try? context.history.lastUsed()
    let last = used?.sessionID.map { id in
      (id: id, isKnown: seen.session(id, on: used?.workspace.serverID) != nil)
    }
    let name = names(of: seen)
    let known = seen.sorted { $0.status < $1.status }.map { session in
      let status = session.status
      let words = [status.phase.word, status.workspaceName, status.goal]
      return CompletionCandidate(name(session), words.compactMap(\.self).joined(separator: ", "))
    }
    return (last.map { [CompletionCandidate("last", "session \($0.id)")] } ?? [])
      + (last.map { $0.isKnown ? [] : [CompletionCandidate($0.id)] } ?? []) + known
  }

  /// Names a session by its id if only it has this id, else also by its server.
  private static func names(of seen: [ListedSession]) -> (ListedSession) -> String {
    let counts = Dictionary(seen.map { ($0.status.id, 1) }, uniquingKeysWith: +)
    return { counts[$0.status.id] == 1 ? $0.status.id : $0.name }
  }

  /// The sessions with a pending question that has no id of its own.
  private static func questions(_ seen: [ListedSession]) -> [CompletionCandidate] {
    let name = names(of: seen)
    return seen.compactMap { session in
      session.status.question.map {
        CompletionCandidate(name(session), $0.text.safeLine(limit: 80))
      }
    }
  }

  /// The last seen pending requests of some kinds, with their calls and origins.
  private static func requests(
    of seen: [ListedSession],
    _ servers: [PairedServer],
    in context: Context,
    where isAccepted: (PendingApproval) -> Bool
  ) -> [CompletionCandidate] {
    let cached = context.cache.loadAtOnce()
    let found = seen.flatMap { session in
      let status = session.status
      let place = RequestOrigin(
        server: servers.first { $0.id == session.id.serverID }?.name,
        sessionID: status.id,
        goal: status.goal,
        workspaceID: status.workspaceID,
        workspaceName: status.workspaceName,
        in: cached[session.id.serverID]?.workspaces ?? []
      )
      return status.approvals.filter(isAccepted).map { ($0, place) }
    }
    let ids = seen.flatMap { $0.status.approvals.map(\.id) }
    let counts = Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
    return found.sorted { $0.0.isBefore($1.0, $0.1, $1.1) }.map { approval, place in
      let call = approval.summary.safeLine(limit: 80)
      let word = approval.mark.word
      let name =
        counts[approval.id] == 1 ? approval.id : "\(place.server ?? "")/\(approval.id)"
      return CompletionCandidate(name, "\(word): \(call) (\(place.text))")
    }
  }

  /// The queued prompts, and those that failed or are unknown.
  private static func prompts(in context: Context) -> [CompletionCandidate] {
    ((try? context.outbox.keys()) ?? []).compactMap { key in
      guard let prompt = try? context.outbox.load(key), !prompt.isDone || !prompt.state.isDelivered
      else { return nil }
      let words = prompt.content.text.safeLine(limit: 60)
      return CompletionCandidate(key.text, "\(prompt.state.word): \(words)")
    }
  }

  /// The workspaces as last seen.
  private static func workspaces(
    of servers: [PairedServer],
    beginning typed: String? = nil,
    in context: Context
  ) -> [ServerWorkspace] {
    let names = Dictionary(servers.map { ($0.id, $0.name) }) { first, _ in first }
    let cached =
      typed.map { context.cache.beginning(with: $0, of: names) } ?? context.cache.loadAtOnce()
    return servers.flatMap { server in
      (cached[server.id]?.workspaces ?? []).map { ServerWorkspace(server: server, workspace: $0) }
    }
  }

  /// The typed part of an option's value.
  private static func value(of word: String) -> String {
    guard word.hasPrefix("-") else { return word }
    guard word.hasPrefix("--") else { return String(word.dropFirst(2)) }
    return word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? word
  }

  /// The plain name if it is unique, else `server/workspace`; always the latter after a typed
  /// slash.
  private static func names(
    of workspaces: [ServerWorkspace],
    typed: String
  ) -> [CompletionCandidate] {
    let counts = Dictionary(workspaces.map { ($0.workspace.name, 1) }, uniquingKeysWith: +)
    return workspaces.map { item in
      let isPlain = counts[item.workspace.name] == 1 && !typed.contains("/")
      return CompletionCandidate(
        isPlain ? item.workspace.name : item.qualifiedName,
        [item.server.name, item.workspace.description].compactMap(\.self).joined(separator: ": ")
      )
    }
  }

  /// The models of servers' last lists, of workspaces and of the settings, without duplicates.
  private static func models(
    of servers: [PairedServer],
    in context: Context
  ) -> [CompletionCandidate] {
    let cached = context.modelCatalog.lists()
    let seen = servers.flatMap { cached[$0.id] ?? [] }
    let names = Dictionary(seen.map { ($0.id, $0.name) }) { first, _ in first }
    let set = try? context.config.load().text(of: .model)
    let named = workspaces(of: servers, in: context).compactMap(\.workspace.defaultModel)
    return Set(names.keys).union(named).union(set.map { [$0] } ?? []).sorted()
      .map { CompletionCandidate($0, names[$0] ?? "") }
  }

  /// The candidates for a setting's value: the choices of its type, or known names.
  ///
  /// `words` are those of the command line, which may choose servers.
  static func values(
    of key: ConfigKey,
    _ words: [String] = [],
    in context: Context
  ) -> [CompletionCandidate] {
    switch key {
    case .workspace: return candidates(.workspace, words: words, in: context)
    case .model: return candidates(.model, words: words, in: context)
    case _ where key.valueType is Appearance.Type:
      return Appearance.words.map { CompletionCandidate($0) }
    default: return key.valueType.choices.map { CompletionCandidate($0) }
    }
  }
}

/// `oppi completions`: the completion scripts of shells.
enum Completions {
  struct Options: Sendable, Equatable {
    @Required var shell: CompletionShell
  }

  static let command: Command = Command(
    "completions",
    "Print the completion script for a shell",
    discussion: """
      The script runs the program to get candidates, which come from cached lists and never from \
      the network. The script completes the name by which you run the program: oppi-client prints \
      a script for oppi-client.
      """,
    examples: [
      (
        "oppi completions bash > ~/.local/share/bash-completion/completions/oppi",
        "Install the completions for bash"
      ),
      (
        "oppi completions fish > ~/.config/fish/completions/oppi.fish",
        "Install the completions for fish"
      ),
    ],
    members: shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [.positional("shell", \.$shell, "The shell")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let text = String(options.shell.script(for: context.programName).dropLast())
    return Report(shape.document(of: (options.shell, text)), .text(text))
  }

  private static let shape: JSONShape<(shell: CompletionShell, script: String)> = [
    .text("shell", "The shell") { $0.shell.rawValue },
    .text("script", "The completion script") { $0.script },
  ]
}
