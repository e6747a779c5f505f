// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The settings of a workspace.
@Suite struct WorkspaceSettingsTests {
  private static let file = World.configFile
  private static let opus = "model\tanthropic/claude-opus-4-6"

  @Test("a workspace setting applies after the command line and before the global setting")
  func order() {
    inWorld { world, _ in
      await world.oppi("config", "set", "model", "anthropic/claude-sonnet-4-6", exits: 0)
      await world.oppi("config", "set", "thinking", "low", exits: 0)
      let opus = "anthropic/claude-opus-4-6"
      await world.oppi("config", "set", "-w", "webapp", "model", opus, exits: 0)
      let own = await world.plan("-w", "webapp")
      #expect(own.dropFirst().prefix(2) == [Self.opus, "thinking\tlow"])
      let other = await world.plan("-w", "demo")
      #expect(other.dropFirst().first == "model\tanthropic/claude-sonnet-4-6")
      let given = await world.plan("-w", "webapp", "-m", "openrouter/z.ai/glm-5")
      #expect(given.dropFirst().first == "model\topenrouter/z.ai/glm-5")
    }
  }

  @Test("each of several workspaces has its own settings")
  func several() {
    inWorld { world, _ in
      await world.oppi("config", "set", "-w", "demo", "thinking", "high", exits: 0)
      await world.oppi("config", "set", "-w", "webapp", "thinking", "off", exits: 0)
      let plan = await world.plan("-w", "demo", "-w", "webapp")
      #expect(plan.filter { $0.hasPrefix("thinking") } == ["thinking\thigh", "thinking\toff"])
    }
  }

  @Test("a waiting ask uses the on-ask and timeout of its workspace")
  func waiting() {
    inWorld { world, _ in
      let words = ["--wait", "approve rm -rf build"]
      await world.oppi("config", "set", "-w", "demo", "on-ask", "fail", exits: 0)
      await world.oppi(["ask", "-w", "demo"] + words, exits: 3)
      await world.oppi("config", "set", "-w", "webapp", "timeout", "5s", exits: 0)
      await world.oppi(["ask", "-w", "webapp"] + words, exits: 124) { $0.elapsed < .seconds(6) }
    }
  }

  @Test("workspace settings do not apply to an existing session")
  func oldSession() {
    inWorld { world, _ in
      await world.oppi("config", "set", "-w", "demo", "thinking", "high", exits: 0)
      await world.oppi("ask", "-q", "-w", "demo", "hi", exits: 0)
      #expect(await !world.plan("-s", "last").contains("thinking\thigh"))
    }
  }

  @Test(
    "a workspace can be given by any of its names",
    arguments: ["webapp", "WebApp", "studio/webapp", "studio → webapp", "wEb-App1", "ID"]
  )
  func names(name: String) {
    inWorld { world, server in
      await world.oppi("workspaces", exits: 0)
      let id = "\(try world.paired.id.text)|\(server.workspaces[1].id)"
      world.disk.put(
        "{workspaces: {'\(name == "ID" ? id : name)': {model: 'anthropic/claude-opus-4-6'}}}",
        at: Self.file
      )
      #expect(await world.plan("-w", "webapp").contains(Self.opus))
      #expect(await world.plan("-w", id).contains(Self.opus))
      #expect(await !world.plan("-w", "demo").contains(Self.opus))
    }
  }

  @Test("a composite id matches an entry by name, even without a cached list")
  func emptyCache() {
    inWorld { world, server in
      let settings = "{workspaces: {'studio/webapp': {model: 'anthropic/claude-opus-4-6'}}}"
      world.disk.put(settings, at: Self.file)
      let id = "\(try world.paired.id.text)|\(server.workspaces[1].id)"
      #expect(await world.plan("-w", id).contains(Self.opus))
    }
  }

  @Test("two entries for a workspace are rejected, and both are named")
  func twice() {
    inWorld { world, _ in
      let settings = "{workspaces: {webapp: {model: 'a/b'}, 'studio/webapp': {model: 'c/d'}}}"
      world.disk.put(settings, at: Self.file)
      let line = "oppi: workspaces.\"studio/webapp\" in \(Self.file) is the same workspace as "
      await world.oppi("ask", "-w", "webapp", "hi", exits: 78) {
        $0.errors.hasPrefix(line + "workspaces.\"webapp\"; remove one")
      }
      await world.oppi("ask", "-n", "-w", "demo", "hi", exits: 0)
    }
  }

  @Test("an entry whose name matches several workspaces is rejected")
  func ambiguous() {
    let twins = DirectorySettingsTests.twins
    inWorld(where: \.workspaces, is: twins) { world, _ in
      world.disk.put("{workspaces: {same: {model: 'a/b'}}}", at: Self.file)
      let id = "\(try world.paired.id.text)|\(twins[0].id)"
      await world.oppi("ask", "-w", twins[0].id, "hi", exits: 78) {
        $0.errors.contains("workspaces.\"same\" in ")
          && $0.errors.contains("matches several workspaces; use one of \(id), ")
      }
      // A setting of one of them is not added to the entry of both.
      await world.oppi("workspaces", exits: 0)
      let entry = "workspaces.\"\(id)\".thinking"
      await world.oppi("config", "set", "-w", id, "thinking", "high", saying: entry)
    }
  }

  @Test(
    "an invalid entry is reported with its file, its name and a hint",
    arguments: [
      (
        "{workspaces: {demo: {thinking: 'deep'}}}",
        "workspaces.\"demo\".thinking in \(file) expects"
      ),
      ("{workspaces: {demo: {model: 7}}}", "workspaces.\"demo\".model in \(file) is a number"),
      ("{workspaces: {demo: 7}}", "workspaces.\"demo\" in \(file) is a number; expected an object"),
      ("{workspaces: 7}", "'workspaces' in \(file) is a number; expected an object"),
    ]
  )
  func unusable(text: String, message: String) {
    inWorld { world, _ in
      world.disk.put(text, at: Self.file)
      let hint = "hint: correct it in the file"
      await world.oppi("ask", "-w", "demo", "hi", exits: 78, saying: hint) {
        $0.errorLines.contains { $0.hasPrefix("oppi: \(message)") }
      }
    }
  }

  @Test("a change applies to the existing entry of a workspace, whichever name is given")
  func sameEntry() {
    inWorld { world, _ in
      await world.oppi("workspaces", exits: 0)
      await world.oppi("config", "set", "-w", "studio/webapp", "model", "a/b", exits: 0)
      await world.oppi("config", "set", "-w", "webapp", "thinking", "high", exits: 0)
      await world.oppi("config", "set", "-w", "web", "timeout", "2m", exits: 0)
      let shown = await world.oppi("config", "show", "--json")
      #expect(
        shown.json["workspaces"] == [
          [
            "workspace": "studio/webapp", "model": "a/b", "thinking": "high", "timeout": "2m",
            "on-ask": .null, "budget.day": .null, "budget.month": .null, "notify.deny-after": .null,
          ]
        ],
        "\(shown)"
      )
      await world.oppi("config", "get", "-w", "webapp", "model") { $0.output == "a/b\n" }
      await world.oppi("config", "unset", "-w", "webapp", "model", exits: 0)
      let hint = "oppi config set -w studio/webapp model VALUE"
      await world.oppi("config", "get", "-w", "webapp", "model", exits: 66, saying: hint)
    }
  }

  @Test("only workspace settings can be set with -w")
  func refuses() {
    inWorld { world, _ in
      let words = ["config", "set", "-w", "demo"]
      await world.oppi(words + ["history", "true"], exits: 64, saying: "give it without -w")
      await world.oppi(words + ["thinking", "deep"], exits: 64, saying: "expects off")
      world.disk.put("{workspaces: {demo: {thinkin: 'high'}}}", at: Self.file)
      let name = "workspaces.\"demo\".thinkin"
      let warning = "no setting \(name); did you mean \(name)g?"
      await world.oppi("ask", "-n", "-w", "demo", "hi", saying: warning)
    }
  }
}

extension World {
  /// The lines of the plan of an ask.
  fileprivate func plan(_ words: String...) async -> [String] {
    await oppi(["ask", "-n"] + words + ["hi"]).lines
  }
}
