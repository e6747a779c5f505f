// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi shortcuts` and `oppi run`.
@Suite struct ShortcutTests {
  private static let folder = "\(World.home)/.config/oppi/shortcuts"

  private func put(_ text: String, as name: String, in world: World) {
    world.disk.put(Array(text.utf8), at: "\(Self.folder)/\(name)")
  }

  @Test("a shortcut is created from an ask, and runs it with its values")
  func runs() {
    inWorld { world, server in
      let words = ["shortcuts", "add", "deploy", "-w", "webapp", "--var", "branch=main"]
      let added = await world.oppi(words + ["check {{branch}} on {{host}}"])
      #expect(added.status == 0 && added.errors.contains("oppi run deploy"), "\(added)")
      let run = await world.oppi("run", "deploy", "--var", "host=web-1", "--json")
      #expect(run.status == 0 && run.json["workspace"]["name"] == "webapp", "\(run)")
      #expect(server.heard == ["check main on web-1"])
      let list = await world.oppi("shortcuts")
      #expect(list.output == "deploy\twebapp\t\thost\tcheck {{branch}} on {{host}}\n", "\(list)")
      await world.oppi("sessions", "--fields", "goal") { $0.lines == ["deploy"] }
    }
  }

  @Test("a missing or unknown value is an error before anything is sent")
  func values() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "{{a}} {{b}}")
      await world.oppi("run", "x", "--var", "b=1", exits: 64, saying: "--var a=...")
      let unknown = await world.oppi("run", "x", "--var", "a=1", "--var", "b=2", "--var", "c=3")
      #expect(unknown.status == 64 && unknown.errors.contains("no {{c}}"), "\(unknown)")
      for word in ["a", "=1", "1a=2", "a b=c"] {
        await world.oppi("run", "x", "--var", word, exits: 64)
      }
      _ = await world.oppi("shortcuts", "add", "plain", "-w", "demo", "hello")
      await world.oppi("run", "plain", "--var", "foo=1", exits: 64, saying: "no {{foo}}")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("of a value that is given twice, the last counts")
  func twice() {
    inWorld { world, server in
      await world.oppi("shortcuts", "add", "x", "-w", "demo", "say {{a}}", exits: 0)
      await world.oppi("run", "x", "--var", "a=1", "--var", "a=2", exits: 0)
      #expect(server.heard == ["say 2"])
    }
  }

  @Test("the time limit of the command line replaces that of the shortcut")
  func timeout() {
    inWorld { world, server in
      let words = ["shortcuts", "add", "x", "-w", "demo", "--wait", "--timeout", "60s", "silent"]
      await world.oppi(words, exits: 0)
      await world.oppi("run", "x", "--timeout", "10s", exits: 124) {
        $0.elapsed < .seconds(30)
      }
    }
  }

  @Test("a shortcut of a later version is not run, changed or replaced")
  func newer() {
    inWorld { world, server in
      let text = #"{"version": 2, "workspace": "demo", "prompt": "hello"}"#
      put(text, as: "x.json", in: world)
      let lines = [
        ["run", "x"], ["shortcuts", "show", "x"], ["shortcuts", "edit", "x"],
        ["shortcuts", "remove", "x"],
        ["shortcuts", "add", "--replace", "-w", "demo", "x", "hello"],
      ]
      for line in lines {
        let outcome = await world.oppi(line, exits: 78, saying: "x.json has version 2, which")
        #expect(outcome.errors.contains("update oppi"), "\(outcome)")
      }
      await world.oppi("shortcuts", saying: "x.json has version 2")
      let path = "\(Self.folder)/x.json"
      #expect(world.disk.contents(of: path).map { String(decoding: $0, as: UTF8.self) } == text)
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a value is not expanded, and its invisible characters are removed")
  func cleaned() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "<{{a}}>")
      let value = "$(id) {{a}} \u{1B}[31mred\u{202E}\u{200B}`x`\t"
      await world.oppi("run", "x", "--var", "a=" + value, exits: 0) {
        !$0.errors.contains("truncated")
      }
      #expect(server.heard == ["<$(id) {{a}} red`x`\t>"])
      let long = String(repeating: "v", count: 5000)
      let cut = await world.oppi("run", "x", "--var", "a=" + long)
      #expect(cut.status == 0 && cut.errors.contains("was truncated to 4096 characters"), "\(cut)")
      #expect(server.heard.last?.count == 4098)
    }
  }

  @Test("a prompt of several lines has its own file while it is one, and comments are kept")
  func files() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "notes", "-w", "demo", "first\nsecond")
      let text = world.disk.contents(of: "\(Self.folder)/notes.txt") ?? []
      #expect(String(decoding: text, as: UTF8.self) == "first\nsecond\n")
      _ = await world.oppi("run", "notes")
      #expect(server.heard == ["first\nsecond"])
      await world.oppi("shortcuts", "add", "--replace", "notes", "-w", "demo", "one", exits: 0)
      #expect(!world.disk.paths.contains { $0.hasSuffix("/notes.txt") }, "\(world.disk.paths)")
      for name in [".notes.json.draft", ".notes.prompt.draft"] { put("x", as: name, in: world) }
      put("{\n  // mine\n  workspace: 'demo', prompt: 'hi',\n}\n", as: "own.json", in: world)
      await world.oppi("run", "own", exits: 0)
      await world.oppi("shortcuts", "show", "own") { $0.output.contains("// mine") }
      put("{workspace: 'demo',\n prompt: 'no last line feed'}", as: "own.json", in: world)
      await world.oppi("shortcuts", "show", "own") { $0.output.contains("line feed'}") }
      await world.oppi("shortcuts", "remove", "notes", exits: 0)
      #expect(!world.disk.paths.contains { $0.contains("notes.") }, "\(world.disk.paths)")
    }
  }

  @Test(
    "an invalid shortcut is an error that states the reason",
    arguments: [
      ("{}", "has no prompt"), ("[]", "is not a JSON object"),
      ("{\"prompt\": \"\"}", "expects a string"),
      ("{\"prompt\": \"x\", \"thinking\": \"hard\"}", "'thinking' that expects off, minimal"),
      ("{\"prompt\": \"x\", \"waits\": true}", "'waits' that is unknown"),
      ("{\"prompt\": \"{{input}}\"}", "does not read standard input"),
      ("{\"prompt\": \"x\", \"input\": true}", "has no {{input}}"),
      ("{\"prompt\": \"x\", \"expires\": \"1h\"}", "cannot have \"expires\" without"),
      ("{\"prompt\": \"x\", \"wait\": true, \"queue\": true}", "cannot have both"),
      ("{\"prompt\": \"x\", \"variables\": {\"y\": \"1\"}}", "has a variable 'y'"),
      ("{\"promptFile\": \"/etc/passwd\"}", "'promptFile' that is not 'x.txt'"),
      ("{\"promptFile\": \"x.txt\"}", "names a file that does not exist"),
      ("{\"promptFile\": 1}", "'promptFile' that is not 'x.txt'"),
      ("{\"promptFile\": \"x.txt\", \"prompt\": \"x\"}", "has both prompt and promptFile"),
      ("{", "x.json"),
    ]
  )
  func defects(text: String, words: String) {
    inWorld { world, server in
      put(text, as: "x.json", in: world)
      await world.oppi("run", "x", exits: 78, saying: words)
      await world.oppi("shortcuts", exits: 78)
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("an existing shortcut is not replaced without --replace")
  func exists() {
    inWorld { world, _ in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "one")
      await world.oppi("shortcuts", "add", "x", "-w", "demo", "two", exits: 73, saying: "--replace")
      #expect(await world.oppi("shortcuts", "show", "x").output.contains("one"))
      _ = await world.oppi("shortcuts", "add", "--replace", "x", "-w", "demo", "two")
      #expect(await world.oppi("shortcuts", "show", "x").output.contains("two"))
      for name in ["a/b", "..", ".x", "a b", "-x", ""] {
        await world.oppi("shortcuts", "add", "--", name, "x", exits: 64)
      }
      await world.oppi("shortcuts", "add", "y", "-w", "nowhere", "x", exits: 66)
      await world.oppi("run", "xy", exits: 66, saying: "did you mean 'x'?")
    }
  }

  @Test("a shortcut that waits takes no --key, and its own values are cleaned, too")
  func traps() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "w", "-w", "demo", "--wait", "hello")
      await world.oppi("run", "w", "--key", "k", exits: 64)
      #expect(server.sessionsMade == 0)
      let text = "{\"workspace\": \"demo\", \"prompt\": \"<{{a}}>\", "
      put(text + "\"variables\": {\"a\": \"x\\u001b[31m\\u202ey\"}}", as: "v.json", in: world)
      _ = await world.oppi("run", "v")
      #expect(server.heard == ["<xy>"])
    }
  }

  @Test(
    "--after stop ends the session with the turn of a waiting run, however the turn ends",
    arguments: [("hello", 0), ("fail", 1), ("usage limit", 75)] as [(String, Int32)]
  )
  func stopsWaiting(prompt: String, status: Int32) {
    inWorld { world, server in
      let words = ["shortcuts", "add", "x", "-w", "demo", "--wait", "--after", "stop", prompt]
      await world.oppi(words, exits: 0)
      await world.oppi("run", "x", exits: status)
      await world.oppi("sessions", "--fields", "state") { $0.lines == ["done"] }
    }
  }

  @Test("--after stop does not end a session whose turn runs beyond the time limit")
  func stopsNoRunningTurn() {
    inWorld { world, server in
      let words = ["shortcuts", "add", "x", "-w", "demo", "--wait", "--after", "stop"]
      await world.oppi(words + ["--timeout", "30s", "silent"], exits: 0)
      await world.oppi("run", "x", exits: 124)
      await world.oppi("sessions", "--fields", "state") { $0.lines == ["running"] }
    }
  }

  @Test("--after stop ends the session at a later flush if the run does not wait")
  func stopsLater() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--after", "stop", "hello")
      let run = await world.oppi("run", "x")
      #expect(run.status == 0 && run.lines.count == 1, "\(run)")
      // The agent may be about to continue.
      await world.oppi("outbox", "flush", exits: 0) { $0.output.isEmpty }
      try await world.pass(.seconds(90))
      let flush = await world.oppi("outbox", "flush")
      #expect(flush.output.contains("\tsession-ended\tstudio/\(run.lines[0])"), "\(flush)")
      await world.oppi("sessions", "--fields", "state") { $0.lines == ["done"] }
      #expect(!world.disk.paths.contains { $0.contains("outbox/") }, "\(world.disk.paths)")
    }
  }

  @Test("a run of a shortcut that queues is kept while its server is down")
  func queues() {
    inWorld { world, server in
      _ = await world.oppi(
        ["shortcuts", "add", "x", "-w", "demo", "--queue", "--expires", "2h", "hello"]
      )
      await server.end(.inOrder)
      let kept = await world.oppi("run", "x", "--json")
      #expect(kept.status == 0 && kept.json["state"] == "outbox", "\(kept)")
      #expect(kept.json["expiresAt"] != .null)
      try server.start()
      _ = await world.oppi("outbox", "flush")
      #expect(server.heard == ["hello"])
    }
  }

  @Test("--dry-run shows the prompt and sends nothing")
  func dryRun() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "do {{a}}")
      let plan = await world.oppi("run", "-n", "x", "--var", "a=it", "--json")
      #expect(plan.json["state"] == "dry-run" && plan.json["prompt"] == "do it", "\(plan)")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("run --wait waits for the turn, even if the shortcut does not")
  func wait() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "hello")
      let plain = await world.oppi("run", "x")
      let waited = await world.oppi("run", "x", "--wait")
      #expect(plain.status == 0 && waited.status == 0, "\(waited)")
      #expect(waited.output == "The command printed: hi\n" && plain.output != waited.output)
      _ = await world.oppi("shortcuts", "add", "f", "-w", "demo", "fail")
      await world.oppi("run", "f", "--wait", exits: 1)
      await world.oppi("run", "x", "--wait", "--key", "k", exits: 64)
      _ = await world.oppi("shortcuts", "add", "q", "-w", "demo", "--queue", "hello")
      await world.oppi("run", "q", "--wait", exits: 64, saying: "\"queue\": true")
      #expect(server.heard.count == 3)
    }
  }

  @Test("a run is sent although the result of an earlier one, which was killed, is not known")
  func afterKilledRun() {
    inTroubledWorld { world, server, trouble in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--after", "stop", "hello")
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.losePrompt()
      try await world.kill(["run", "x"], after: .seconds(2))
      trouble.end()
      #expect(server.heard == ["hello"])
      await world.oppi("run", "x", exits: 0)
      #expect(server.heard == ["hello", "hello"])
      // A flush determines the result of the first one.
      await world.oppi("outbox", "flush", exits: 0) { $0.output.contains("\tdelivered\t") }
    }
  }

  @Test("run --wait ends the session of a shortcut that ends it, after the turn")
  func waitAndEnd() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--after", "stop", "hello")
      await world.oppi("run", "x", "--wait", exits: 0) { $0.output == "The command printed: hi\n" }
      await world.oppi("sessions", "--fields", "state") { $0.lines == ["done"] }
    }
  }
}
