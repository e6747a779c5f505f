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
      candidates(kind, in: context)
    }
    var text = answer.text
    if text.hasSuffix("\n") { text.removeLast() }
    let lines = text.split(separator: "\n").map { JSONValue.string(String($0)) }
    return Report(.array(lines), text.isEmpty ? .nothing : .text(text))
  }

  private static func candidates(_ kind: String, in context: Context) -> [CompletionCandidate] {
    let servers = (try? context.serverStore.load().servers) ?? []
    switch kind {
    case "server": return servers.map { CompletionCandidate($0.name, $0.endpoint.description) }
    case "workspace": return workspaces(of: servers, in: context)
    case "session":
      let last = context.lastUsed.load()?.sessionID
      return last.map { [CompletionCandidate("last", "session \($0)"), CompletionCandidate($0)] }
        ?? []
    case "topic":
      let tool = OppiTable.tool
      return tool.topics.map { CompletionCandidate($0.name, $0.summary) }
        + tool.root.subcommands.filter { !$0.isHidden }
        .map { CompletionCandidate($0.name, $0.summary) }
    default: return []
    }
  }

  /// The plain name where one workspace has it, else `server/workspace`.
  private static func workspaces(
    of servers: [PairedServer],
    in context: Context
  ) -> [CompletionCandidate] {
    let cached = context.cache.loadAtOnce()
    let all = servers.flatMap { server in
      (cached[server.id]?.workspaces ?? []).map { ServerWorkspace(server: server, workspace: $0) }
    }
    let counts = Dictionary(all.map { ($0.workspace.name, 1) }, uniquingKeysWith: +)
    return all.map { item in
      let isUnique = counts[item.workspace.name] == 1
      return CompletionCandidate(
        isUnique ? item.workspace.name : item.qualifiedName,
        [item.server.name, item.workspace.description].compactMap(\.self).joined(separator: ": ")
      )
    }
  }
}
