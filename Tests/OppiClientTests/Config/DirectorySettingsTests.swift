// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The workspace of the working directory.
@Suite struct DirectorySettingsTests {
  private static let file = World.configFile

  /// Two workspaces with the same name.
  static let twins = ["a", "b"].map { Workspace(id: "same000\($0)", name: "same") }

  @Test("a folder's workspace applies in it and below it, but not beside it")
  func holds() {
    inWorld { world, _ in
      await world.oppi("config", "here", "webapp", environment: here(), exits: 0) {
        $0.errors == "set directories.\"~/src/api\" in \(Self.file)\n"
      }
      for folder in ["src/api", "src/api/deep/er"] {
        #expect(await world.target(in: folder) == "studio/webapp")
      }
      let message = "no workspace given"
      await world.oppi("ask", "-n", "hi", environment: here("src/api2"), exits: 64, saying: message)
    }
  }

  @Test("the order is: option, variable, nearest folder, global setting")
  func order() {
    inWorld { world, _ in
      await world.oppi("config", "set", "workspace", "demo")
      await world.oppi("config", "here", "webapp", environment: here())
      #expect(await world.target(in: "src/api") == "studio/webapp")
      #expect(await world.target(in: "src") == "studio/demo")
      #expect(await world.target(in: "src/api", ["OPPI_WORKSPACE": "demo"]) == "studio/demo")
      await world.oppi("ask", "-n", "-w", "demo", "hi", environment: here()) {
        $0.output.hasPrefix("to\tstudio/demo\n")
      }
      await world.oppi("config", "here", "demo", environment: here("src/api/old"))
      #expect(await world.target(in: "src/api/old/x") == "studio/demo")
    }
  }

  @Test("a new interactive session uses the default workspace of ask before the last one")
  func new() {
    inWorld { world, server in
      let new = ["new", "--print-target"]
      let (demo, webapp) = (server.workspaces[0].id, server.workspaces[1].id)
      await world.oppi("ask", "-q", "-w", "demo", "hi", exits: 0)
      await world.oppi("config", "here", "webapp", environment: here())
      await world.oppi(new, environment: here()) { $0.output.contains(webapp) }
      await world.oppi(new, environment: here("src")) { $0.output.contains(demo) }
      await world.oppi(new + ["-w", "demo"], environment: here()) { $0.output.contains(demo) }
      let variables = here("src/api", ["OPPI_WORKSPACE": "demo"])
      await world.oppi(new, environment: variables) { $0.output.contains(demo) }
      await world.oppi("config", "set", "workspace", "webapp")
      await world.oppi(new, environment: here("src")) { $0.output.contains(webapp) }
    }
  }

  @Test("the effective workspace is shown with its source")
  func shows() {
    inWorld { world, _ in
      let hint = "set one with: oppi config here WORKSPACE"
      await world.oppi("config", "here", environment: here(), exits: 66, saying: hint)
      await world.oppi("config", "set", "workspace", "demo")
      await world.oppi("config", "here", environment: here()) {
        $0.output == "demo\t'workspace' in \(Self.file)\n"
      }
      await world.oppi("config", "here", "studio/webapp", environment: here())
      await world.oppi("config", "here", environment: here("src/api/x")) {
        $0.output == "studio/webapp\tdirectories.\"~/src/api\" in \(Self.file)\n"
      }
      let variables = here("src/api", ["OPPI_WORKSPACE": "other"])
      await world.oppi("config", "here", environment: variables) {
        $0.output == "other\t$OPPI_WORKSPACE\n"
      }
    }
  }

  @Test("setting or unsetting an ineffective workspace reports the effective workspace")
  func overshadowed() {
    inWorld { world, _ in
      await world.oppi("config", "here", "webapp", environment: here("src"))
      let variables = here("src/api", ["OPPI_WORKSPACE": "other"])
      let given = "the default here is other, from $OPPI_WORKSPACE"
      await world.oppi("config", "here", "demo", environment: variables, saying: given)
      let nearest = "the default here is webapp, from directories.\"~/src\" in"
      await world.oppi("config", "here", "--unset", environment: here(), saying: nearest)
      #expect(await world.target(in: "src/api") == "studio/webapp")
      // Unsetting a missing entry succeeds.
      await world.oppi("config", "here", "--unset", environment: here(), exits: 0)
      await world.oppi("config", "here", "", environment: here("src"), exits: 0)
      await world.oppi("config", "here", environment: here(), exits: 66)
    }
  }

  @Test("the existing entry of a folder is changed, however it is written")
  func sameFolder() {
    inWorld { world, _ in
      let entry = "{directories: {'\(World.home)/src//api/': "
      world.disk.put("\(entry)'demo'}} // mine", at: Self.file)
      await world.oppi("config", "here", "webapp", environment: here())
      let text = world.disk.text(at: Self.file)
      #expect(text.hasPrefix("\(entry)\"webapp\""), "\(text)")
    }
  }

  @Test(
    "an unknown name is reported with the folder's entry",
    arguments: [["ask", "hi"], ["new", "--print-target"]]
  )
  func source(words: [String]) {
    inWorld { world, _ in
      world.disk.put("{directories: {'~/src/api': 'nix'}}", at: Self.file)
      let entry = "directories.\"~/src/api\" in \(Self.file)"
      await world.oppi(words, environment: here(), exits: 66) {
        $0.errors.hasPrefix("oppi: no workspace 'nix' (from \(entry))\n")
      }
    }
  }

  @Test(
    "an invalid entry is reported with its file, in any folder",
    arguments: [
      ("{directories: {'src/api': 'demo'}}", "directories.\"src/api\" in \(file) expects a path"),
      (
        "{directories: {'~/a': 7}}",
        "directories.\"~/a\" in \(file) is a number; expected a quoted string"
      ),
      ("{directories: 'x'}", "'directories' in \(file) is a string; expected an object"),
      ("{directories: {'~/a': 'x', '~/a/': 'y'}}", "directories.\"~/a/\" in \(file) is the same"),
    ]
  )
  func unusable(text: String, message: String) {
    inWorld { world, _ in
      world.disk.put(text, at: Self.file)
      for words in [["ask", "hi"], ["new", "--print-target"], ["config", "here"], ["config"]] {
        await world.oppi(words, environment: here("elsewhere"), exits: 78) {
          $0.errors.hasPrefix("oppi: \(message)")
        }
      }
      // A command with a named workspace does not need the entry.
      await world.oppi("ask", "-n", "-w", "demo", "hi", exits: 0)
    }
  }

  @Test("a working directory that no longer exists fails only its own setting")
  func gone() {
    inWorld { world, _ in
      await world.oppi("config", "here", "webapp")
      // No path is absolute, as in a removed folder.
      let gone = ["PWD": "gone"]
      await world.oppi("ask", "-n", "-w", "demo", "hi", environment: gone, exits: 0)
      await world.oppi("new", "--print-target", environment: gone, exits: 0)
      let message = "no longer exists"
      await world.oppi("config", "here", "demo", environment: gone, exits: 66, saying: message)
    }
  }

  @Test("an unknown or ambiguous workspace name is rejected, and nothing is saved")
  func unseen() {
    inWorld { world, _ in
      for words in [["here", "later"], ["set", "workspace", "later"]] {
        let message = "no workspace 'later'"
        await world.oppi(["config"] + words, environment: here(), exits: 66, saying: message)
      }
      await world.oppi("config", "here", environment: here(), exits: 66)
    }
    inWorld(where: \.workspaces, is: Self.twins) { world, _ in
      await world.oppi("workspaces", exits: 0)
      let message = "matches several workspaces"
      await world.oppi("config", "here", "same", exits: 64, saying: message)
    }
  }

  @Test("a workspace whose server does not answer is saved with a warning")
  func unchecked() {
    inTroubledWorld { world, _, trouble in
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let warning = "could not check the workspace"
      await world.oppi("config", "here", "demo", environment: here(), exits: 0, saying: warning)
      await world.oppi("config", "here", environment: here()) { $0.output.hasPrefix("demo\t") }
    }
  }
}

/// The variables of a user in a folder below the home folder.
private func here(
  _ folder: String = "src/api",
  _ more: [String: String] = [:]
) -> [String: String] {
  more.merging(["PWD": "\(World.home)/\(folder)"]) { given, _ in given }
}

extension World {
  /// The target of an ask without -w.
  fileprivate func target(in folder: String, _ variables: [String: String] = [:]) async -> String? {
    let plan = await oppi("ask", "-n", "hi", environment: here(folder, variables))
    return plan.lines.first?.split(separator: "\t").last.map(String.init)
  }
}
