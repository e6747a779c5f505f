// SPDX-License-Identifier: MIT

import OppiSystem
import Simulation
import Testing

@testable import OppiTestSupport

/// `ask` and `new` without a terminal, with their outcome shown on the desktop.
@Suite struct DesktopOutcomeTests {
  private static func shown(_ world: World, _ words: String...) async -> [DesktopNotification] {
    let desktop = VirtualDesktop(on: world.loop)
    _ = await world.program(notifying: desktop).run(words)
    return desktop.history
  }

  @Test("without a terminal, a notification shows the outcome or the failure")
  func tells() {
    inWorld { world, server in
      let success = await Self.shown(world, "ask", "-w", "demo", "hello")
      #expect(success.map(\.summary) == ["Pi is working on it in demo"])
      let answer = await Self.shown(world, "ask", "--wait", "-w", "demo", "hello")
      #expect(answer.map(\.body) == ["The command printed: hi"])
      let failed = await Self.shown(world, "ask", "--wait", "-w", "demo", "empty")
      #expect(failed.map(\.summary) == ["oppi ask failed"], "\(failed)")
      let nowhere = await Self.shown(world, "ask", "-w", "nix", "hello")
      #expect(nowhere.first?.body.hasPrefix("no workspace 'nix'") == true, "\(nowhere)")
      let target = await Self.shown(world, "new", "--print-target")
      #expect(target.count == 1)
    }
  }

  @Test("--gui never shows nothing, and private notifications omit the answer")
  func quiet() {
    inWorld { world, server in
      #expect(await Self.shown(world, "ask", "--gui", "never", "-w", "demo", "hello").isEmpty)
      _ = await world.oppi("config", "set", "notify.private", "true")
      let answer = await Self.shown(world, "ask", "--wait", "-w", "demo", "hello")
      #expect(answer.map(\.body) == [""])
    }
  }

  @Test("an invalid setting hides the answer, and not the reason of a failure")
  func invalidSetting() {
    inWorld { world, server in
      world.disk.put(#"{"notify": {"private": "perhaps"}}"#, at: World.configFile)
      let answer = await Self.shown(world, "ask", "--wait", "-w", "demo", "hello")
      #expect(answer.map(\.body) == [""])
      let nowhere = await Self.shown(world, "ask", "-w", "nix", "hello")
      #expect(nowhere.first?.body.hasPrefix("no workspace 'nix'") == true, "\(nowhere)")
    }
  }
}
