// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// The committed scripts in real shells, with the real program.
@Suite(.fewAtOnce) struct CompletionTests {
  private static let folder = URL.package.appending(path: "completions")

  /// A shell, its script, and commands that print the candidates of `oppi ask -w `.
  enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    var file: URL {
      let name =
        switch self {
        case .bash: "oppi.bash"
        case .zsh: "_oppi"
        case .fish: "oppi.fish"
        }
      return folder.appending(path: name)
    }

    var question: String {
      switch self {
      case .bash:
        """
        source '\(file.path)'
        COMP_LINE='oppi ask -w ' COMP_POINT=12 COMP_TYPE=9 COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
        _oppi 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      case .zsh:
        """
        compdef() { : }
        compadd() { print -l -- $values }
        source '\(file.path)'
        words=(oppi ask -w '') CURRENT=4 PREFIX=''
        _oppi
        """
      case .fish:
        """
        source '\(file.path)'
        complete -C 'oppi ask -w ' | string replace -r '\\t.*' ''
        """
      }
    }
  }

  @Test("the committed scripts are up to date", arguments: Shell.allCases)
  func noDrift(shell: Shell) async throws {
    let home = try Home()
    let outcome = try await home.oppi("completions", shell.rawValue)
    #expect(outcome.output == (try String(contentsOf: shell.file, encoding: .utf8)))
  }

  @Test(
    "a program with another name has completions for that name",
    arguments: Shell.allCases.filter { has($0.rawValue) }
  )
  func otherName(shell: Shell) async throws {
    let home = try Home()
    let name = "oppi-client"
    let outcome = try await home.shell(
      """
      mkdir bin && ln -s \(Executable.oppi) bin/\(name) && PATH=$PWD/bin:$PATH
      \(name) completions \(shell.rawValue) >script
      \(shell.rawValue) -n script && cat script
      """
    )
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let committed = try String(contentsOf: shell.file, encoding: .utf8)
    #expect(outcome.output == committed.replacing("oppi", with: name), "\(outcome)")
  }

  @Test(
    "a shell offers the cached workspaces without the network",
    arguments: Shell.allCases.filter { has($0.rawValue) }
  )
  func workspaces(shell: Shell) async throws {
    let (home, server) = try await Home.paired { configuration in
      configuration.workspaces[0].name = "home:work"
      configuration.workspaces[1].name = "My Server"
    }
    _ = try await home.oppi("workspaces")
    let connections = server.journal.connections
    // Without this folder, fish starts a background job.
    try FileManager.default.createDirectory(
      at: home.folder.appending(path: ".local/share/fish/generated_completions"),
      withIntermediateDirectories: true
    )
    let outcome = try await home.run(["/usr/bin/env", shell.rawValue, "-c", shell.question])
    let offers = outcome.outputLines.map { $0.replacing("\\", with: "") }
    #expect(offers == ["home:work", "My Server"], "\(outcome)")
    #expect(server.journal.connections == connections)
  }

  @Test(
    "the program completes commands, options, values and names",
    arguments: [
      (["as"], ["ask"]),
      (["ask", "--thinking", ""], ["off", "minimal", "low", "medium", "high", "xhigh", "max"]),
      (["ask", "--think"], ["--thinking"]), (["servers", "show", ""], ["studio"]),
      (["ask", "-F", ""], [":files"]), (["completions", "z"], ["zsh"]),
      (["help", "exit"], ["exit-status"]),
      (["config", "set", "w"], ["workspace"]), (["ask", "--wor"], ["--workspace"]),
      (["workspaces", "--server", ""], ["studio"]), (["ask", "--server=s"], ["--server=studio"]),
      (["ask", "-w", ""], ["demo", "webapp"]),
      (["ask", "-w", "studio/"], ["studio/demo", "studio/webapp"]),
      (["ask", "--workspace=studio/w"], ["--workspace=studio/webapp"]),
      (["ask", "-w", "box/"], []), (["ask", "-m", ""], ["anthropic/claude-opus-4-6"]),
      (["config", "get", "on"], ["on-ask"]),
      (["config", "unset", "a"], ["accessible", "app.command"]),
      (["config", "set", "on-ask", ""], ["wait", "deny", "fail"]),
      (["config", "set", "thinking", "h"], ["high"]),
      (["config", "set", "workspace", "w"], ["webapp"]),
      (["config", "set", "workspace", "studio/w"], ["studio/webapp"]),
      (["config", "set", "model", ""], ["anthropic/claude-opus-4-6"]),
      (["config", "set", "timeout", ""], []), (["config", "here", "w"], ["webapp"]),
      (["config", "set", "-w", "we"], ["webapp"]),
      (["config", "set", "-w", "demo", "thinking", "h"], ["high"]),
    ] as [([String], [String])]
  )
  func candidates(words: [String], offers: [String]) async throws {
    let (home, server) = try await Home.paired { configuration in
      configuration.workspaces[1].defaultModel = "anthropic/claude-opus-4-6"
    }
    defer { withExtendedLifetime(server) {} }
    _ = try await home.oppi("workspaces")
    let outcome = try await home.oppi(["__complete", "--"] + words)
    #expect(outcome.outputLines.map { String($0.prefix { $0 != "\t" }) } == offers, "\(outcome)")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
  }
}
