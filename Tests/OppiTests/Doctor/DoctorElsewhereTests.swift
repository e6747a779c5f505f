// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi doctor --as`, in worlds whose programs can run `oppi` again.
@Suite struct DoctorElsewhereTests {
  /// Installs `/bin/oppi` for other programs, which set its environment.
  private static func install(in world: World) {
    world.programs.put("/bin/oppi") { process in
      let environment = (process.environment ?? [:]).filter { $0.key != "PATH" }
      let program = world.program(environment: environment)
      let outcome = await program.run(Array(process.arguments.dropFirst()))
      return ChildProcess.Outcome(
        output: Array(outcome.output.utf8),
        errors: Array(outcome.errors.utf8),
        status: outcome.status ?? 137
      )
    }
  }

  @Test("a cron job has the variables of crontab(5) and of the crontab")
  func cron() {
    inWorld { world, _ in
      Self.install(in: world)
      world.programs.put("crontab", printing: "LANG=C\n0 9 * * * oppi ask 5%\n")
      let outcome = await world.oppi(
        ["doctor", "--as", "cron", "--json"],
        environment: ["XDG_CONFIG_HOME": "/elsewhere", "OPPI_SERVER": "studio"]
      )
      let variables = (outcome.json["as"]["variables"].array ?? []).compactMap(\.string)
      #expect(variables.filter { $0 != "LOGNAME" } == ["HOME", "LANG", "PATH", "PWD", "SHELL"])
      #expect(outcome.json["as"]["trigger"] == "cron")
      #expect(outcome.findings(of: "environment").count == 2, "\(outcome)")
      #expect(outcome.findings(of: "crontab").count == 3, "\(outcome)")
      // The servers are paired in the default folder, which cron uses.
      #expect(outcome.findings(of: "servers").first?.hasPrefix("ok: ") == true, "\(outcome)")
      #expect(outcome.findings(of: "mail").first?.hasPrefix("warning: ") == true)
      #expect(outcome.status == 78 && outcome.error["code"] == "bad-configuration")
    }
  }

  @Test("a unit has the variables of the systemd user manager, and requires it")
  func udev() {
    inWorld { world, _ in
      Self.install(in: world)
      let without = await world.oppi("doctor", "--as", "udev", "--json", exits: 78)
      #expect(without.findings(of: "systemd").first?.hasPrefix("fault: ") == true)
      world.programs.put("systemctl", printing: "HOME=/home/user\nOPPI_SERVER=other\n")
      let outcome = await world.oppi("doctor", "--as", "udev", "--json")
      #expect(outcome.json["as"]["variables"] == ["HOME", "OPPI_SERVER"], "\(outcome)")
      #expect(outcome.findings(of: "servers").first?.hasPrefix("fault: ") == true, "\(outcome)")
      #expect(outcome.error["message"].string?.hasSuffix("in a unit started by udev") == true)
    }
  }

  @Test("a hotkey has the variables of the running desktop")
  func hotkey() {
    inWorld { world, _ in
      Self.install(in: world)
      world.disk.put(Array("sway\n".utf8), at: "/proc/77/comm")
      world.disk.put(Array("HOME=/home/user\0DISPLAY=:0\0EMPTY=\0".utf8), at: "/proc/77/environ")
      world.disk.put(Array("bash\n".utf8), at: "/proc/78/comm")
      let outcome = await world.oppi("doctor", "--as", "hotkey", "--json")
      #expect(outcome.json["as"]["variables"] == ["DISPLAY", "EMPTY", "HOME"], "\(outcome)")
      #expect(outcome.json["as"]["source"] == "from sway (process 77)")
      #expect(outcome.findings(of: "terminal").first?.hasPrefix("warning: ") == true)
    }
  }

  @Test("a program that cannot be started is a fault, and invalid output is a bug")
  func broken() {
    inWorld { world, _ in
      let without = await world.oppi("doctor", "--as", "cron", "--json")
      let found = without.findings(of: "program")
      #expect(
        found.first?.hasPrefix("fault: cannot start /bin/oppi in this environment") == true,
        "\(without)"
      )
      world.programs.put("/bin/oppi", printing: "nonsense")
      await world.oppi("doctor", "--as", "cron", "--json", exits: 70) { $0.error["code"] == "bug" }
    }
  }
}
