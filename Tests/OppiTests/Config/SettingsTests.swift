// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// The effect of settings, and how they are read and changed.
@Suite struct SettingsTests {
  private let bench: CommandBench

  init() throws {
    bench = try CommandBench()
  }

  private var file: String { "\(bench.homeFolder)/.config/oppi/config.json" }

  private func set(_ name: String, _ value: String) throws {
    let outcome = try bench.run(["config", "set", name, value])
    try #require(outcome.status == 0, "\(outcome)")
  }

  @Test("a setting is printed alone, and a missing setting is status 66")
  func get() throws {
    try set("workspace", "studio/demo")
    let outcome = try bench.run(["config", "get", "workspace"])
    #expect(outcome.output == "studio/demo\n" && outcome.errors.isEmpty, "\(outcome)")
    let unset = try bench.run(["config", "unset", "workspace"])
    #expect(unset.status == 0 && unset.output.isEmpty, "\(unset)")
    let nothing = try bench.run(["config", "get", "workspace"])
    #expect(nothing.status == 66 && nothing.output.isEmpty, "\(nothing)")
    #expect(nothing.errors.hasPrefix("oppi: 'workspace' is not set in \(file)\n"), "\(nothing)")
  }

  @Test(
    "an invalid value is rejected before it is written",
    arguments: [
      ("thinking", "deep"), ("timeout", "soon"), ("on-ask", "shrug"), ("app.command", "foot 'x"),
      ("history", "maybe"), ("budget.day", "-1"),
    ]
  )
  func refused(name: String, value: String) throws {
    let outcome = try bench.run(["config", "set", name, value])
    #expect(outcome.status == 64 && outcome.errors.contains("'\(name)'"), "\(outcome)")
    #expect(try bench.run(["config", "get", "workspace"]).status == 66)
  }

  @Test("a setting that does not exist is status 66, with the name that was meant")
  func unknown() throws {
    for words in [["get"], ["unset"], ["set", "red"]] {
      let line = ["config", words[0], "colour"] + words.dropFirst()
      let outcome = try bench.run(line)
      #expect(outcome.status == 66, "\(outcome)")
      #expect(outcome.errors.hasPrefix("oppi: no setting 'colour'\n"), "\(outcome)")
    }
    let close = try bench.run(["config", "get", "modle"])
    #expect(close.status == 66 && close.errors.contains("did you mean 'model'?"), "\(close)")
  }

  @Test("a prompt, an image or a schema that is a directory is status 66")
  func directory() throws {
    for option in ["-F", "--image", "--schema"] {
      let words = ["ask", "--wait", "-w", "demo", option, bench.homeFolder]
      let outcome = try bench.run(words + (option == "-F" ? [] : ["hi"]))
      #expect(outcome.status == 66 && outcome.errors.contains("is a directory"), "\(outcome)")
    }
  }

  @Test("a negative amount is a value, and no option")
  func negative() throws {
    let outcome = try bench.run(["config", "set", "budget.day", "-1"])
    let words = "'budget.day' expects an amount above 0"
    #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome)")
  }

  @Test("a new session takes its model and level from the settings, unless options override them")
  func modelAndThinking() throws {
    try set("model", "anthropic/claude-opus-4-6")
    try set("thinking", "high")
    let plan = try bench.run(["ask", "-n", "-w", "demo", "hi"])
    #expect(plan.outputLines.contains("model\tanthropic/claude-opus-4-6"), "\(plan)")
    #expect(plan.outputLines.contains("thinking\thigh"), "\(plan)")
    let other = try bench.run([
      "ask", "-n", "-w", "demo", "-m", "openrouter/z.ai/glm-5", "-t", "low", "hi",
    ])
    #expect(other.outputLines.contains("model\topenrouter/z.ai/glm-5"), "\(other)")
    #expect(other.outputLines.contains("thinking\tlow"), "\(other)")
    let made = try bench.run(["ask", "-q", "-w", "demo", "hi"])
    try #require(made.status == 0, "\(made)")
    let old = try bench.run(["ask", "-n", "-s", "last", "hi"])
    #expect(!old.output.contains("opus") && !old.output.contains("high"), "\(old)")
  }

  @Test("the timeout from the settings applies to an ask without its own timeout")
  func timeout() throws {
    let silent = try CommandBench { configuration in
      configuration.interceptor = { step in
        if case .message(let json, _) = step, json["type"] == "prompt" { .ignore } else { .proceed }
      }
    }
    #expect(try silent.run(["config", "set", "timeout", "300ms"]).status == 0)
    let outcome = try silent.run(["ask", "-w", "demo", "--wait", "hi"])
    #expect(outcome.status == 124, "\(outcome)")
  }

  @Test("a boolean setting is stored as true or false")
  func truth() throws {
    for value in ["false", "true"] {
      try set("history", value)
      let shown = try bench.run(["config", "show", "--json"])
      #expect(shown.output.contains("\"history\":\"\(value)\""), "\(shown)")
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\"history\": \(value)"))
    }
  }

  @Test("on-ask can be set in the settings")
  func onAsk() throws {
    try set("on-ask", "fail")
    let outcome = try bench.run(["ask", "-w", "demo", "--wait", "approve rm -rf build"])
    #expect(outcome.status == 3, "\(outcome)")
    let denied = try bench.run(
      ["ask", "-w", "demo", "--wait", "--on-ask", "deny", "approve rm -rf build"]
    )
    #expect(denied.status != 3, "\(denied)")
    // The setting has no effect without --wait.
    #expect(try bench.run(["ask", "-w", "demo", "hi"]).status == 0)
  }

  @Test(
    "an unknown name is reported with its source",
    arguments: [
      (["-w", "nix"], [:], "no workspace 'nix' (from --workspace)"),
      ([], ["OPPI_WORKSPACE": "nix"], "no workspace 'nix' (from $OPPI_WORKSPACE)"),
      ([], [:], "no workspace 'set' (from 'workspace' in FILE)"),
      (["--server", "nix"], [:], "no paired server 'nix' (from --server)"),
      ([], ["OPPI_SERVER": "nix"], "no paired server 'nix' (from $OPPI_SERVER)"),
    ] as [([String], [String: String], String)]
  )
  func source(words: [String], environment: [String: String], message: String) throws {
    try set("model", "a/b")
    try "{workspace: 'set'}".write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try bench.run(["ask"] + words + ["hi"], environment: environment)
    #expect(outcome.status == 66, "\(outcome)")
    let line = "oppi: \(message.replacing("FILE", with: file))"
    #expect(outcome.errorLines.first.map(String.init) == line, "\(outcome)")
  }

  @Test("a new interactive session uses the default workspace, as an ask does")
  func newUsesWorkspace() throws {
    try #require(try bench.run(["ask", "-q", "-w", "webapp", "hi"]).status == 0)
    try set("workspace", "demo")
    let variables = ["OPPI_WORKSPACE": "demo"]
    let outcome = try bench.run(["new", "--print-target"], environment: variables)
    #expect(outcome.output.contains("demo0001"), "\(outcome)")
    let wrong = try bench.run(["new", "--print-target", "-w", "nix"])
    #expect(wrong.errors.contains("no workspace 'nix' (from --workspace)"), "\(wrong)")
  }

  @Test("an unknown model is reported with its source")
  func modelSource() throws {
    try set("model", "no/such")
    let outcome = try bench.run(["ask", "-w", "demo", "hi"])
    #expect(outcome.errors.contains("no model 'no/such' (from 'model' in \(file))"), "\(outcome)")
    let option = try bench.run(["ask", "-w", "demo", "-m", "no/other", "hi"])
    #expect(option.errors.contains("no model 'no/other' (from --model)"), "\(option)")
  }

  @Test(
    "an invalid setting is reported with its file and a hint",
    arguments: [
      ("{workspace: 7}", "'workspace' in FILE is a number; expected a quoted string"),
      (
        "{thinking: 'deep'}",
        "'thinking' in FILE expects off, minimal, low, medium, high or xhigh, not 'deep'"
      ),
      ("{timeout: '0'}", "'timeout' in FILE expects more than 0s, not '0'"),
      ("{timeout: '5x'}", "'timeout' in FILE expects a duration such as 500ms, 5s, 10m, 2h or 7d"),
    ]
  )
  func unusable(text: String, message: String) throws {
    try set("model", "x")
    try write(text)
    let outcome = try bench.run(["ask", "hi"])
    #expect(outcome.status == 78, "\(outcome)")
    let line = "oppi: \(message.replacing("FILE", with: file))"
    #expect(outcome.errors.hasPrefix(line), "\(outcome)")
    #expect(outcome.errors.contains("hint: correct it in the file, or with: oppi config set "))
  }

  @Test("a damaged settings file is reported with the position, without a hint to pair")
  func damaged() throws {
    try set("model", "x")
    try write("{model: 'x',\n  timeout 3}")
    for words in [["ask", "hi"], ["config"], ["config", "set", "model", "y"]] {
      let outcome = try bench.run(words)
      #expect(outcome.status == 78, "\(outcome)")
      #expect(
        outcome.errors == """
          oppi: \(file) is damaged: unexpected character at line 2, column 11
            hint: repair it, or move it away; it was not changed

          """
      )
    }
  }

  private func write(_ text: String) throws {
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }
}
