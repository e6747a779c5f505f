// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// `oppi __complete`: what the completion scripts ask.
///
/// Silent on failure, never on the network.
enum Complete {
  struct Options: Sendable, Equatable {
    var words: [String] = []
  }

  static let command = Command(
    "__complete",
    "Answer a completion script",
    isHidden: true,
    options: Options(),
    arguments: [.positional("word", \.words, "The words so far")],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let answer = CompletionEngine.candidates(words: options.words, in: OppiTable.tool) { kind in
      candidates(kind, words: options.words, in: context)
    }
    var text = answer.text
    if text.hasSuffix("\n") { text.removeLast() }
    let lines = text.split(separator: "\n").map { JSONValue.string(String($0)) }
    return Report(.array(lines), text.isEmpty ? .nothing : .text(text))
  }

  private static func candidates(
    _ kind: String,
    words: [String],
    in context: Context
  ) -> [CompletionCandidate] {
    let servers = (try? context.serverStore.load().servers) ?? []
    switch kind {
    case "server": return servers.map { CompletionCandidate($0.name, $0.endpoint.description) }
    case "workspace":
      return names(of: workspaces(of: servers, in: context), typed: words.last ?? "")
    case "model": return models(of: workspaces(of: servers, in: context), in: context)
    case "session":
      return sessions(in: context)
    case "approval":
      return context.lastSeen.flatMap(\.approvals).sorted()
        .map { CompletionCandidate($0.id, "\($0.risk.word): \($0.summary)") }
    case "value": return values(ofSetting: words.dropLast().last ?? "", words, in: context)
    case "topic":
      let tool = OppiTable.tool
      return tool.topics.map { CompletionCandidate($0.name, $0.summary) }
        + tool.root.subcommands.filter { !$0.isHidden }
        .map { CompletionCandidate($0.name, $0.summary) }
    default: return []
    }
  }

  /// The session used last, and those that were seen last, the most urgent first.
  private static func sessions(in context: Context) -> [CompletionCandidate] {
    let last = context.lastUsed.load()?.sessionID
    let seen = context.lastSeen.sorted { ($0.phase, $1.lastActivity) < ($1.phase, $0.lastActivity) }
    let known = seen.map { session in
      let words = [session.phase.rawValue, session.workspaceName, session.goal]
      return CompletionCandidate(session.id, words.compactMap(\.self).joined(separator: ", "))
    }
    let isKnown = seen.contains { $0.id == last }
    return (last.map { [CompletionCandidate("last", "session \($0)")] } ?? [])
      + (isKnown ? [] : last.map { [CompletionCandidate($0)] } ?? []) + known
  }

  /// The workspaces as they were last seen.
  private static func workspaces(
    of servers: [PairedServer],
    in context: Context
  ) -> [ServerWorkspace] {
    let cached = context.cache.loadAtOnce()
    return servers.flatMap { server in
      (cached[server.id]?.workspaces ?? []).map { ServerWorkspace(server: server, workspace: $0) }
    }
  }

  /// The plain name where one workspace has it, else `server/workspace`, which all have once a slash
  /// is typed.
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

  /// The models that workspaces and the settings name, each once.
  private static func models(
    of workspaces: [ServerWorkspace],
    in context: Context
  ) -> [CompletionCandidate] {
    let set = try? context.config.load().text(of: .model)
    let known = workspaces.compactMap(\.workspace.defaultModel) + (set.map { [$0] } ?? [])
    return Set(known).sorted().map { CompletionCandidate($0) }
  }

  /// What may be the value of a setting: the words of its type, or what is known of its kind.
  private static func values(
    ofSetting name: String,
    _ words: [String],
    in context: Context
  ) -> [CompletionCandidate] {
    guard let key = try? ConfigKey.named(name) else { return [] }
    switch key {
    case .workspace, .model: return candidates(key.name, words: words, in: context)
    default: return key.valueType.choices.map { CompletionCandidate($0) }
    }
  }
}
