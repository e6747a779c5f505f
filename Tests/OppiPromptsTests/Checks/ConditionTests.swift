// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiPrompts
@testable import OppiTestSupport

/// Shortcuts with `--when`.
@Suite struct ConditionTests {
  /// A shell whose commands have the outcome that the test sets.
  private final class Shell: Sendable {
    private let outcome = Mutex((text: "", status: Int32(0)))

    init(in world: World) {
      world.programs.put("/bin/sh") { [self] _ in
        let (text, status) = outcome.withLock { $0 }
        return ChildProcess.Outcome(output: Array(text.utf8), status: status)
      }
    }

    func prints(_ text: String, status: Int32 = 0) { outcome.withLock { $0 = (text, status) } }
  }

  /// Each command prints `one` after this time.
  private static func runSlowly(_ time: Duration, in world: World) {
    world.programs.put("/bin/sh") { [loop = world.loop] _ in
      try? await loop.sleep(for: time)
      return ChildProcess.Outcome(output: Array("one".utf8), status: 0)
    }
  }

  private static func add(_ rule: String, in world: World, _ more: String...) async {
    let words = ["shortcuts", "add", "s", "-w", "demo", "--when", "check", "--when-is", rule]
    await world.oppi(words + more + ["about {{when}}"], exits: 0)
  }

  @Test(
    "the prompt is sent only if the condition is met",
    arguments: [
      ("succeeds", "", 0, true), ("succeeds", "x", 1, false), ("nonempty", "x", 0, true),
      ("nonempty", " \n", 0, false), ("changed", "", 0, true),
    ] as [(String, String, Int32, Bool)]
  )
  func rules(rule: String, text: String, status: Int32, isMet: Bool) {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints(text, status: status)
      await Self.add(rule, in: world)
      await world.oppi("run", "--json", "s", exits: 0) { ($0.json["state"] == "skipped") != isMet }
      try await world.pass()
      #expect(server.heard.count == (isMet ? 1 : 0))
    }
  }

  @Test(
    "with --force the prompt is sent although the condition is not met, with its output",
    arguments: [("succeeds", "x", 1, " x"), ("nonempty", " ", 0, ""), ("changed", "x", 0, " x")]
      as [(String, String, Int32, String)]
  )
  func forced(rule: String, text: String, status: Int32, output: String) {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints(text, status: status)
      await Self.add(rule, in: world)
      for count in 1...2 {
        await world.oppi("run", "--force", "s", exits: 0)
        try await world.pass()
        #expect(server.heard.count == count)
      }
      #expect(server.heard.last?.hasPrefix("about\(output)") == true, "\(server.heard)")
    }
  }

  @Test("a check that fails is an error with nonempty and changed, with its last line")
  func failing() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("trying\nno route\n", status: 2)
      for rule in ["nonempty", "changed"] {
        await Self.add(rule, in: world, "--replace")
        let outcome = await world.oppi("run", "--json", "s")
        #expect(outcome.status == 69 && outcome.error["code"] == "check-failed", "\(outcome)")
        #expect(outcome.errors.contains("exited with status 2: no route"), "\(outcome)")
      }
      #expect(server.heard.isEmpty)
    }
  }

  @Test(
    "a command that the shell cannot run is an error, also with succeeds",
    arguments: [(125, 0), (126, 69), (127, 69), (128, 0)] as [(Int32, Int32)]
  )
  func notRunnable(of shellStatus: Int32, status: Int32) {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("sh: nosuch: not found", status: shellStatus)
      await Self.add("succeeds", in: world)
      await world.oppi("run", "s", exits: status) { $0.errors.contains("nosuch") == (status == 69) }
    }
  }

  @Test(
    "a condition that takes too long is named; it has a minute at most",
    arguments: [("2s", 2), ("5m", 60), ("", 60)]
  )
  func slow(timeout: String, seconds: Int) {
    inWorld { world, server in
      Self.runSlowly(.seconds(600), in: world)
      await Self.add("succeeds", in: world)
      let options = timeout.isEmpty ? [] : ["--timeout", timeout]
      let outcome = await world.oppi(options + ["run", "s"], exits: 69)
      let words = "condition of shortcut s did not end within \(seconds == 2 ? "2s" : "1m")"
      #expect(outcome.errors.contains(words), "\(outcome)")
      let (least, most) = (Duration.seconds(seconds), Duration.seconds(seconds + 5))
      #expect(outcome.elapsed >= least && outcome.elapsed < most, "\(outcome)")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("a changed output is sent once, as text")
  func changed() {
    inWorld { world, server in
      let shell = Shell(in: world)
      await Self.add("changed", in: world)
      for text in ["one {{x}}", "one {{x}}", "two\u{1B}[2J", "two\u{1B}[2J", "one {{x}}"] {
        shell.prints(text)
        await world.oppi("run", "s", exits: 0)
        try await world.pass()
      }
      #expect(server.heard == ["about one {{x}}", "about two", "about one {{x}}"])
    }
  }

  @Test("a change after the part of an output that the prompt contains counts")
  func changedEnd() {
    inWorld { world, server in
      let shell = Shell(in: world)
      await Self.add("changed", in: world)
      for end in ["a", "b", "b"] {
        shell.prints(String(repeating: "x", count: 70_000) + end)
        await world.oppi("run", "s", exits: 0)
        try await world.pass()
      }
      #expect(server.heard.count == 2 && server.heard.first == server.heard.last)
    }
  }

  @Test("a prompt that was not sent is tried again for the same output")
  func released() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world)
      await world.lose(server)
      await world.oppi("run", "s", exits: 69)
      try server.start()
      await world.oppi("run", "s", exits: 0)
      try await world.pass()
      #expect(server.heard == ["about one"])
      await world.oppi("run", "s", saying: "has not changed")
    }
  }

  @Test("a run that fails before it sends anything is tried again for the same output")
  func failedBefore() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world)
      await world.oppi("servers", "forget", "studio", exits: 0)
      #expect(await world.oppi("run", "s").status != 0)
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      await world.oppi("run", "s", exits: 0)
      try await world.pass()
      #expect(server.heard == ["about one"])
    }
  }

  @Test("a prompt that was not sent leaves the output known whose prompt was sent last")
  func restored() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world)
      await world.oppi("run", "s", exits: 0)
      try await world.pass()
      await world.lose(server)
      shell.prints("two")
      await world.oppi("run", "s", exits: 69)
      try server.start()
      shell.prints("one")
      await world.oppi("run", "s", saying: "has not changed")
      #expect(server.heard == ["about one"])
    }
  }

  @Test("a run whose prompt another process is delivering is not repeated for the same output")
  func locked() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      let add = ["shortcuts", "add", "s", "-w", "demo", "--when", "check", "--when-is", "changed"]
      await world.oppi(add + ["--queue", "hello"], exits: 0)
      await world.lose(server)
      await world.oppi("run", "s", exits: 0)
      let outbox = world.services.outbox
      let key = try #require(try outbox.keys().first)
      // The prompt does not contain the output, so its key stays the same.
      shell.prints("two")
      try await outbox.withPrompt(key, lockTimeout: .zero) { _ in
        _ = await world.oppi("run", "s", exits: 75, saying: "another process is delivering")
      }
      await world.oppi("run", "s", exits: 0, saying: "has not changed")
    }
  }

  @Test("a run that is killed after its check is not repeated for the same output")
  func killed() {
    inWorld(where: \.pace, is: .seconds(5)) { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world, "--wait")
      try await world.kill(["run", "s"], after: .seconds(1))
      let heard = server.heard.count
      await world.oppi("run", "s", exits: 6, saying: "may have been sent")
      await world.oppi("run", "s", exits: 0, saying: "has not changed")
      try await world.pass()
      #expect(server.heard.count == heard && heard <= 1)
      await world.oppi("run", "--force", "s", exits: 0)
      #expect(server.heard.count == heard + 1)
    }
  }

  @Test("of two runs for a changed output at the same time, one is skipped")
  func concurrent() {
    inWorld { world, server in
      Self.runSlowly(.seconds(5), in: world)
      await Self.add("changed", in: world)
      let first = world.start(["run", "s"])
      try await world.pass(.seconds(1))
      let second = await world.oppi("run", "--json", "s")
      #expect(second.status == 0 && second.json["state"] == "skipped", "\(second)")
      #expect(second.errors.isEmpty && server.heard.isEmpty, "\(second)")
      let outcome = try await first.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(server.heard == ["about one"])
    }
  }

  @Test("the conditions of two shortcuts are checked at the same time")
  func independent() {
    inWorld { world, server in
      Self.runSlowly(.seconds(5), in: world)
      await Self.add("changed", in: world)
      let add = ["shortcuts", "add", "other", "-w", "demo", "--when", "check"]
      _ = await world.oppi(add + ["--when-is", "changed", "also {{when}}"])
      let first = world.start(["run", "s"])
      try await world.pass(.seconds(1))
      await world.oppi("run", "other", exits: 0)
      let outcome = try await first.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(Set(server.heard) == ["about one", "also one"])
    }
  }

  @Test("an interrupt while the answer is checked does not release the output")
  func interruptedCheck() {
    inWorld { world, server in
      world.programs.put("/bin/sh") { [loop = world.loop] process in
        if process.arguments.last == "verify" { try? await loop.sleep(for: .seconds(600)) }
        return ChildProcess.Outcome(output: Array("one".utf8), status: 0)
      }
      await Self.add("changed", in: world, "--wait", "--verify", "verify")
      let terminal = world.start(["run", "s"])
      try await world.pass(.seconds(60))
      terminal.type("\u{03}")
      try await terminal.end(exits: 130)
      await world.oppi("run", "s", exits: 0, saying: "has not changed")
      #expect(server.heard == ["about one"])
    }
  }

  @Test("a shortcut that is added again starts anew")
  func addedAgain() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world)
      _ = await world.oppi("run", "s")
      _ = await world.oppi("shortcuts", "remove", "s")
      await Self.add("changed", in: world)
      await world.oppi("run", "--json", "s") { $0.json["state"] != "skipped" }
    }
  }

  @Test("a shortcut with a condition needs no value and can be scheduled")
  func scheduled() {
    inSchedule { machine in
      let shell = Shell(in: machine.world)
      shell.prints("one")
      let add = ["shortcuts", "add", "c", "-w", "demo", "--when", "check"]
      await machine.oppi(add + ["--when-is", "changed", "about {{when}}"], saying: "oppi run c\n")
      await machine.oppi("schedule", "add", "c", "--every", "1h", exits: 0)
      for _ in 0..<2 {
        try await machine.wait(untilMinute: 0)
        _ = await machine.oppi("run", "c", "--scheduled")
      }
      #expect(machine.server.heard == ["about one"])
      #expect(await machine.states().last == "skipped")
    }
  }

  @Test("a trial records nothing")
  func trial() {
    inWorld { world, server in
      let shell = Shell(in: world)
      shell.prints("one")
      await Self.add("changed", in: world)
      for _ in 0..<2 {
        await world.oppi("run", "--json", "-n", "s") { $0.json["prompt"] == "about one" }
      }
      #expect(!world.disk.paths.contains { $0.hasSuffix("conditions.json") })
    }
  }

  @Test("a condition that cannot be checked is refused when the shortcut is added")
  func defects() {
    inWorld { world, server in
      let add = ["shortcuts", "add", "s", "-w", "demo"]
      for (words, error) in [
        (["--when-is", "changed", "x"], "--when-is requires --when"),
        (["about {{when}}"], "but no condition"),
        (["--when", "true", "--var", "when=1", "{{when}}"], "reserved for the output"),
      ] {
        await world.oppi(add + words, saying: error) { $0.status != 0 }
      }
    }
  }
}
