// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// The settings of a workspace.
@Suite struct WorkspaceSettingsTests {
  private let bench: CommandBench

  init() throws {
    bench = try CommandBench()
  }

  private var file: String { "\(bench.homeFolder)/.config/oppi/config.json" }

  private func set(_ words: String...) throws {
    let outcome = try bench.run(["config", "set"] + words)
    try #require(outcome.status == 0, "\(outcome)")
  }

  private func write(_ text: String) throws {
    try set("model", "x")
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  private func plan(_ words: String...) throws -> [Substring] {
    try bench.run(["ask", "-n"] + words + ["hi"]).output.split(separator: "\n")
  }

  @Test("a workspace setting applies after the command line and before the global setting")
  func order() throws {
    try set("model", "anthropic/claude-sonnet-4-6")
    try set("thinking", "low")
    try set("-w", "webapp", "model", "anthropic/claude-opus-4-6")
    #expect(
      try plan("-w", "webapp").dropFirst().prefix(2) == [
        "model\tanthropic/claude-opus-4-6", "thinking\tlow",
      ]
    )
    #expect(try plan("-w", "demo").dropFirst().first == "model\tanthropic/claude-sonnet-4-6")
    #expect(
      try plan("-w", "webapp", "-m", "openrouter/z.ai/glm-5").dropFirst().first
        == "model\topenrouter/z.ai/glm-5"
    )
  }

  @Test("each of several workspaces has its own settings")
  func several() throws {
    try set("-w", "demo", "thinking", "high")
    try set("-w", "webapp", "thinking", "off")
    let levels = try plan("-w", "demo", "-w", "webapp").filter { $0.hasPrefix("thinking") }
    #expect(levels == ["thinking\thigh", "thinking\toff"])
  }

  @Test("a waiting ask uses the on-ask and timeout of its workspace")
  func waiting() throws {
    try set("-w", "demo", "on-ask", "fail")
    let words = ["--wait", "approve rm -rf build"]
    let failed = try bench.run(["ask", "-w", "demo"] + words)
    #expect(failed.status == 3, "\(failed)")
    try set("-w", "webapp", "timeout", "300ms")
    let late = try bench.run(["ask", "-w", "webapp"] + words)
    #expect(late.status == 124, "\(late)")
  }

  @Test("workspace settings do not apply to an existing session")
  func oldSession() throws {
    try set("-w", "demo", "thinking", "high")
    try #require(try bench.run(["ask", "-q", "-w", "demo", "hi"]).status == 0)
    #expect(try !plan("-s", "last").contains("thinking\thigh"))
  }

  @Test(
    "a workspace can be given by any of its names",
    arguments: ["webapp", "WebApp", "studio/webapp", "studio → webapp", "webapp01", "ID"]
  )
  func names(name: String) throws {
    try #require(try bench.run(["workspaces"]).status == 0)
    let id = "\(bench.server.fingerprint.text)|webapp01"
    try write("{workspaces: {'\(name == "ID" ? id : name)': {model: 'anthropic/claude-opus-4-6'}}}")
    #expect(try plan("-w", "webapp").contains("model\tanthropic/claude-opus-4-6"))
    #expect(try plan("-w", id).contains("model\tanthropic/claude-opus-4-6"))
    #expect(try !plan("-w", "demo").contains("model\tanthropic/claude-opus-4-6"))
  }

  @Test("a composite id matches an entry by name, even without a cached list")
  func emptyCache() throws {
    try write("{workspaces: {'studio/webapp': {model: 'anthropic/claude-opus-4-6'}}}")
    let id = "\(bench.server.fingerprint.text)|webapp01"
    #expect(try plan("-w", id).contains("model\tanthropic/claude-opus-4-6"))
  }

  @Test("two entries for a workspace are rejected, and both are named")
  func twice() throws {
    try write("{workspaces: {webapp: {model: 'a/b'}, 'studio/webapp': {model: 'c/d'}}}")
    let outcome = try bench.run(["ask", "-w", "webapp", "hi"])
    #expect(outcome.status == 78, "\(outcome)")
    let line = "oppi: workspaces.\"studio/webapp\" in \(file) is the same workspace as "
    #expect(outcome.errors.hasPrefix(line + "workspaces.\"webapp\"; remove one"), "\(outcome)")
    #expect(try bench.run(["ask", "-n", "-w", "demo", "hi"]).status == 0)
  }

  @Test("an entry whose name matches several workspaces is rejected")
  func ambiguous() throws {
    let bench = try CommandBench { configuration in
      configuration.workspaces = ["a", "b"].map { Workspace(id: "same000\($0)", name: "same") }
    }
    try #require(try bench.run(["config", "set", "model", "a/b"]).status == 0)
    let file = "\(bench.homeFolder)/.config/oppi/config.json"
    let settings = "{workspaces: {same: {model: 'a/b'}}}"
    try settings.write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try bench.run(["ask", "-w", "same000a", "hi"])
    #expect(outcome.status == 78, "\(outcome)")
    #expect(outcome.errors.contains("workspaces.\"same\" in "), "\(outcome)")
    let id = "\(bench.server.fingerprint.text)|same000a"
    #expect(outcome.errors.contains("matches several workspaces; use one of \(id), "))
    // A setting of one of them is not added to the entry of both.
    try #require(try bench.run(["workspaces"]).status == 0)
    let set = try bench.run(["config", "set", "-w", id, "thinking", "high"])
    #expect(set.errors.contains("workspaces.\"\(id)\".thinking"), "\(set)")
  }

  @Test(
    "an invalid entry is reported with its file, its name and a hint",
    arguments: [
      ("{workspaces: {demo: {thinking: 'deep'}}}", "workspaces.\"demo\".thinking in FILE expects"),
      ("{workspaces: {demo: {model: 7}}}", "workspaces.\"demo\".model in FILE is a number"),
      ("{workspaces: {demo: 7}}", "workspaces.\"demo\" in FILE is a number; expected an object"),
      ("{workspaces: 7}", "'workspaces' in FILE is a number; expected an object"),
    ]
  )
  func unusable(text: String, message: String) throws {
    try write(text)
    let outcome = try bench.run(["ask", "-w", "demo", "hi"])
    #expect(outcome.status == 78, "\(outcome)")
    let line = "oppi: \(message.replacing("FILE", with: file))"
    #expect(outcome.errorLines.contains { $0.hasPrefix(line) }, "\(outcome)")
    #expect(outcome.errors.contains("hint: correct it in the file"), "\(outcome)")
  }

  @Test("an unknown model is reported with the workspace's entry")
  func modelSource() throws {
    try set("-w", "demo", "model", "no/such")
    let outcome = try bench.run(["ask", "-w", "demo", "hi"])
    let source = "no model 'no/such' (from workspaces.\"demo\".model in \(file))"
    #expect(outcome.errors.contains(source), "\(outcome)")
  }

  @Test("a change applies to the existing entry of a workspace, whichever name is given")
  func sameEntry() throws {
    try #require(try bench.run(["workspaces"]).status == 0)
    try set("-w", "studio/webapp", "model", "a/b")
    try set("-w", "webapp", "thinking", "high")
    try set("-w", "web", "timeout", "2m")
    let shown = try bench.run(["config", "show", "--json"])
    let json = try JSONValue(parsing: Array(shown.output.utf8))
    #expect(
      json["workspaces"] == [
        [
          "workspace": "studio/webapp", "model": "a/b", "thinking": "high", "timeout": "2m",
          "on-ask": .null, "budget.day": .null, "budget.month": .null, "notify.deny-after": .null,
        ]
      ],
      "\(shown)"
    )
    #expect(try bench.run(["config", "get", "-w", "webapp", "model"]).output == "a/b\n")
    try #require(try bench.run(["config", "unset", "-w", "webapp", "model"]).status == 0)
    let unset = try bench.run(["config", "get", "-w", "webapp", "model"])
    #expect(unset.status == 66, "\(unset)")
    #expect(unset.errors.contains("oppi config set -w studio/webapp model VALUE"), "\(unset)")
  }

  @Test("only workspace settings can be set with -w")
  func refuses() throws {
    let history = try bench.run(["config", "set", "-w", "demo", "history", "true"])
    #expect(history.status == 64 && history.errors.contains("give it without -w"), "\(history)")
    let level = try bench.run(["config", "set", "-w", "demo", "thinking", "deep"])
    #expect(level.status == 64 && level.errors.contains("expects off"), "\(level)")
    try write("{workspaces: {demo: {thinkin: 'high'}}}")
    let warned = try bench.run(["ask", "-n", "-w", "demo", "hi"])
    let name = "workspaces.\"demo\".thinkin"
    #expect(warned.errors.contains("no setting \(name); did you mean \(name)g?"), "\(warned)")
  }
}
