// SPDX-License-Identifier: MIT

import CommandTable
import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// The effect of settings, and how they are read and changed.
@Suite struct SettingsTests {
  private static let file = World.configFile

  @Test("a setting is printed alone, and a missing setting is status 66")
  func get() {
    inWorld { world, _ in
      await world.oppi("config", "set", "workspace", "studio/demo", exits: 0)
      await world.oppi("config", "get", "workspace", exits: 0) {
        $0.output == "studio/demo\n" && $0.errors.isEmpty
      }
      await world.oppi("config", "unset", "workspace", exits: 0) { $0.output.isEmpty }
      await world.oppi("config", "get", "workspace", exits: 66) {
        $0.output.isEmpty && $0.errors.hasPrefix("oppi: 'workspace' is not set in \(Self.file)\n")
      }
    }
  }

  @Test(
    "an invalid value is rejected before it is written",
    arguments: [
      ("thinking", "deep"), ("timeout", "soon"), ("on-ask", "shrug"), ("app.command", "foot 'x"),
      ("history", "maybe"), ("budget.day", "-1"), ("theme", "linux"), ("theme", "plain"),
      ("colors.code", "red green"), ("colors.code", "on"), ("colors.code", "#12345"),
    ]
  )
  func refused(name: String, value: String) {
    inWorld { world, _ in
      await world.oppi("config", "set", name, value, exits: 64, saying: "'\(name)'")
      await world.oppi("config", "get", "workspace", exits: 66)
    }
  }

  @Test("each default is a valid value, and is shown in JSON and on a terminal, not in a pipe")
  func defaults() {
    let keys = ConfigKey.all.filter { $0.defaultText != nil }
    #expect(
      keys.map(\.name) == ["on-ask", "history", "accessible", "theme", "mouse", "notify.private"]
    )
    inWorld { world, _ in
      for key in keys {
        let text = key.defaultText ?? ""
        #expect(throws: Never.self) { try key.valueType.init(argument: text) }
        let shown = await world.oppi("config", "--json", exits: 0).json
        #expect(shown[key.name] == .null && shown["defaults"][key.name].string == text)
        await world.oppi("config", exits: 0) { !$0.output.contains("(default)") }
        await world.oppi("config", "set", key.name, text, exits: 0)
        #expect(await world.oppi("config", "--json").json[key.name].string == text)
      }
    }
  }

  @Test("a setting that does not exist is status 66, with the name that was meant")
  func unknown() {
    inWorld { world, _ in
      for words in [["get"], ["unset"], ["set", "red"]] {
        await world.oppi(["config", words[0], "colour"] + words.dropFirst(), exits: 66) {
          $0.errors.hasPrefix("oppi: no setting 'colour'\n")
        }
      }
      await world.oppi("config", "get", "modle", exits: 66, saying: "did you mean 'model'?")
    }
  }

  @Test("a prompt, an image or a schema that is a directory is status 66")
  func directory() {
    inWorld { world, _ in
      for option in ["-F", "--image", "--schema"] {
        let words = ["ask", "--wait", "-w", "demo", option, "/"]
        await world.oppi(
          words + (option == "-F" ? [] : ["hi"]),
          exits: 66,
          saying: "is a directory"
        )
      }
    }
  }

  @Test("a new session takes its model and level from the settings, unless options override them")
  func modelAndThinking() {
    inWorld { world, _ in
      await world.oppi("config", "set", "model", "anthropic/claude-opus-4-6", exits: 0)
      await world.oppi("config", "set", "thinking", "high", exits: 0)
      let plan = await world.oppi("ask", "-n", "-w", "demo", "hi")
      #expect(plan.lines.contains("model\tanthropic/claude-opus-4-6"), "\(plan)")
      #expect(plan.lines.contains("thinking\thigh"), "\(plan)")
      let options = ["-m", "openrouter/z.ai/glm-5", "-t", "low"]
      let other = await world.oppi(["ask", "-n", "-w", "demo"] + options + ["hi"])
      #expect(other.lines.contains("model\topenrouter/z.ai/glm-5"), "\(other)")
      #expect(other.lines.contains("thinking\tlow"), "\(other)")
      await world.oppi("ask", "-q", "-w", "demo", "hi", exits: 0)
      await world.oppi("ask", "-n", "-s", "last", "hi") {
        !$0.output.contains("opus") && !$0.output.contains("high")
      }
    }
  }

  @Test("the timeout from the settings applies to an ask without its own timeout")
  func timeout() {
    inTroubledWorld { world, _, trouble in
      trouble.begin { $0.isPrompt ? .ignore : .proceed }
      await world.oppi("config", "set", "timeout", "5s", exits: 0)
      await world.oppi("ask", "-w", "demo", "--wait", "hi", exits: 124) {
        $0.elapsed > .seconds(4) && $0.elapsed < .seconds(6)
      }
    }
  }

  @Test("a boolean setting is stored as true or false")
  func truth() {
    inWorld { world, _ in
      for value in ["false", "true"] {
        await world.oppi("config", "set", "history", value, exits: 0)
        let shown = await world.oppi("config", "show", "--json")
        #expect(shown.output.contains("\"history\":\"\(value)\""), "\(shown)")
        #expect(world.disk.text(at: Self.file).contains("\"history\": \(value)"))
      }
    }
  }

  @Test("on-ask can be set in the settings")
  func onAsk() {
    inWorld { world, _ in
      await world.oppi("config", "set", "on-ask", "fail", exits: 0)
      await world.oppi("ask", "-w", "demo", "--wait", "approve rm -rf build", exits: 3)
      await world.oppi("ask", "-w", "demo", "--wait", "--on-ask", "deny", "approve rm -rf build") {
        $0.status != 3
      }
      // The setting has no effect without --wait.
      await world.oppi("ask", "-w", "demo", "hi", exits: 0)
    }
  }

  @Test(
    "an unknown name is reported with its source",
    arguments: [
      (["-w", "nix"], [:], "no workspace 'nix' (from --workspace)"),
      ([], ["OPPI_WORKSPACE": "nix"], "no workspace 'nix' (from $OPPI_WORKSPACE)"),
      ([], [:], "no workspace 'set' (from 'workspace' in \(file))"),
      (["--server", "nix"], [:], "no paired server 'nix' (from --server)"),
      ([], ["OPPI_SERVER": "nix"], "no paired server 'nix' (from $OPPI_SERVER)"),
    ] as [([String], [String: String], String)]
  )
  func source(words: [String], environment: [String: String], message: String) {
    inWorld { world, _ in
      world.disk.put("{workspace: 'set'}", at: Self.file)
      await world.oppi(["ask"] + words + ["hi"], environment: environment, exits: 66) {
        $0.errorLines.first == "oppi: \(message)"
      }
    }
  }

  @Test(
    "an invalid setting is reported with its file and a hint",
    arguments: [
      ("{workspace: 7}", "'workspace' in \(file) is a number; expected a quoted string"),
      (
        "{thinking: 'deep'}",
        "'thinking' in \(file) expects off, minimal, low, medium, high, xhigh or max, not 'deep'"
      ),
      ("{timeout: '0'}", "'timeout' in \(file) expects more than 0s, not '0'"),
      (
        "{timeout: '5x'}",
        "'timeout' in \(file) expects a duration such as 500ms, 5s, 10m, 2h or 7d"
      ),
    ]
  )
  func unusable(text: String, message: String) {
    inWorld { world, _ in
      world.disk.put(text, at: Self.file)
      let hint = "hint: correct it in the file, or with: oppi config set "
      await world.oppi("ask", "hi", exits: 78, saying: hint) {
        $0.errors.hasPrefix("oppi: \(message)")
      }
    }
  }

  @Test("a setting of a colour is set, listed with the others, and removed")
  func colors() {
    inWorld { world, _ in
      await world.oppi("config", "set", "colors.attention", "bold #f2b84b", exits: 0)
      #expect(world.disk.text(at: Self.file).contains(#""attention": "bold #f2b84b""#))
      await world.oppi("config", exits: 0) {
        $0.lines.contains { $0.hasPrefix("colors.attention\tbold #f2b84b\tWhat requires") }
          && !$0.output.contains("colors.muted")
      }
      let json = await world.oppi("config", "--json", exits: 0).json
      #expect(json["colors"] == [["role": "attention", "appearance": "bold #f2b84b"]])
      await world.oppi("config", "unset", "colors.attention", exits: 0)
      #expect(await world.oppi("config", "--json", exits: 0).json["colors"] == [])
      await world.oppi("config", "set", "colors.atention", "red", exits: 66) {
        $0.errors.contains("did you mean 'colors.attention'?")
      }
    }
  }

  @Test("an invalid colour in the file stops what shows colours, with a remedy, and nothing else")
  func invalidColor() {
    inWorld { world, _ in
      world.disk.put("{colors: {code: 'reddish'}}", at: Self.file)
      await world.oppi("ask", "-w", "demo", "--queue", "hi", exits: 0)
      let outcome = try await world.start(["ask", "-w", "demo", "hi"], columns: 200).end(exits: 78)
      #expect(outcome.errors.contains("'colors.code' in \(Self.file) expects attributes and"))
      #expect(outcome.errors.contains("not 'reddish'"), "\(outcome)")
      #expect(outcome.errors.contains("hint: correct it in the file, or with: oppi config set"))
    }
  }

  @Test("the answer of an ask has the theme and the colours of the settings")
  func themedAnswer() {
    inWorld { world, _ in
      world.disk.put("{theme: 'mono', colors: {muted: 'red', name: 'red'}}", at: Self.file)
      let words = ["ask", "-n", "-w", "demo", "hi"]
      let plan = try await world.start(words).end(exits: 0)
      #expect(plan.output.contains("\u{1B}[31m"), "\(plan)")
      let plain = try await world.start(words, environment: ["NO_COLOR": "1"]).end(exits: 0)
      #expect(!plain.output.contains("\u{1B}"), "\(plain)")
    }
  }

  @Test("a damaged settings file is reported with the position, without a hint to pair")
  func damaged() {
    inWorld { world, _ in
      world.disk.put("{model: 'x',\n  timeout 3}", at: Self.file)
      for words in [["ask", "hi"], ["config"], ["config", "set", "model", "y"]] {
        await world.oppi(words, exits: 78) {
          $0.errors == """
            oppi: \(Self.file) is damaged: unexpected character at line 2, column 11
              hint: repair it, or move it away; it was not changed

            """
        }
      }
    }
  }
}
