// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// The committed scripts in real shells, with the real program.
@Suite(.fewAtOnce) struct CompletionTests {
  /// The shells and their scripts.
  static let scripts = [("bash", "oppi.bash"), ("zsh", "_oppi"), ("fish", "oppi.fish")]

  private static func committed(_ file: String) throws -> String {
    try String(contentsOf: URL.package.appending(path: "completions/\(file)"), encoding: .utf8)
  }

  @Test("the committed scripts are up to date", arguments: scripts)
  func noDrift(shell: String, file: String) async throws {
    #expect(try await Home().oppi("completions", shell).output == Self.committed(file))
  }

  @Test(
    "a program with another name has completions for that name",
    arguments: scripts.filter { has($0.0) }
  )
  func otherName(shell: String, file: String) async throws {
    let home = try Home()
    let name = "oppi-client"
    let outcome = try await home.shell(
      """
      mkdir bin && ln -s \(Executable.oppi) bin/\(name) && PATH=$PWD/bin:$PATH
      \(name) completions \(shell) >script
      \(shell) -n script && cat script
      """
    )
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let expected = try Self.committed(file).replacing("oppi", with: name)
    #expect(outcome.output == expected, "\(outcome)")
  }

  @Test(
    "the program completes options, values and names without the network",
    arguments: [
      (["ask", "--thinking", ""], ["off", "minimal", "low", "medium", "high", "xhigh", "max"]),
      (["servers", "show", ""], ["studio"]), (["completions", "z"], ["zsh"]),
      (["help", "exit"], ["exit-status"]),
      (["config", "set", "w"], ["workspace"]),
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
    _ = try await home.oppi("workspaces")
    let connections = server.journal.connections
    let outcome = try await home.oppi(["__complete", "--"] + words)
    #expect(outcome.outputLines.map { String($0.prefix { $0 != "\t" }) } == offers, "\(outcome)")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(server.journal.connections == connections)
  }
}
