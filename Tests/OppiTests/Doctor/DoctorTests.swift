// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// `oppi doctor`, in worlds with various problems.
@Suite struct DoctorTests {
  @Test("a machine without problems has no fault and is not changed")
  func well() {
    inWorld { world, server in
      let (paths, requests) = (world.disk.paths, server.requests.count)
      let outcome = await world.oppi("doctor", "--json")
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
      let servers = outcome.findings(of: "servers")
      try #require(servers.count == 4, "\(servers)")
      #expect(servers[0].hasPrefix("ok: studio answers in "), "\(servers)")
      #expect(servers[1].hasPrefix("note: the connection to studio has no TLS"), "\(servers)")
      #expect(servers[2].hasPrefix("note: studio runs tools without approval"), "\(servers)")
      #expect(servers[3] == "ok: studio lists this machine as 'vm (oppi)'", "\(servers)")
      #expect(outcome.findings(of: "files").map { $0.prefix(3) } == ["ok:"])
      #expect(outcome.findings(of: "outbox") == ["ok: no queued prompts"])
      #expect(world.disk.paths == paths)
      #expect(server.requests.dropFirst(requests).allSatisfy { $0.method == "GET" })
      #expect(server.streams == 0 && server.heard == [])
    }
  }

  @Test("a narrow terminal wraps findings between words")
  func folded() {
    inWorld { world, server in
      await server.end(.killed)
      func rows(_ columns: Int) async throws -> [String] {
        let terminal = world.start(["doctor"], columns: columns)
        _ = try await terminal.end()
        return terminal.lines
      }
      let (wide, narrow) = (try await rows(400), try await rows(60))
      #expect(narrow.count > wide.count && narrow.allSatisfy { $0.count <= 60 }, "\(narrow)")
      #expect(narrow.contains { $0.hasPrefix("         hint: ") }, "\(narrow)")
      // A word that is wider than a row is split.
      let words = Set(wide.flatMap(\.wordsOfRow).filter { $0.count <= 45 })
      let found = Set(narrow.flatMap(\.wordsOfRow))
      #expect(words.subtracting(found).filter { !$0.contains(where: \.isNumber) } == [])
    }
  }

  @Test("findings are printed in the order of the checks")
  func order() {
    inWorld { world, _ in
      let outcome = await world.oppi("doctor", "--json")
      var told = (outcome.json["findings"].array ?? []).compactMap(\.["check"].string)
      told = told.enumerated().filter { $0.offset == 0 || told[$0.offset - 1] != $0.element }
        .map(\.element)
      let names = HealthCheck.all.map(\.name)
      #expect(told == names.filter { told.contains($0) } && told.count > 5, "\(told)")
    }
  }

  @Test("an unreachable server is a fault and determines the status")
  func away() {
    inWorld { world, server in
      let gone = #"{"workspace": "studio/elsewhere", "prompt": "hello"}"#
      world.disk.put(Array(gone.utf8), at: "\(World.home)/.config/oppi/shortcuts/gone.json")
      await server.end(.killed)
      let outcome = await world.oppi("doctor", "--json")
      #expect(outcome.status == 69 && outcome.error["code"] == "server-unreachable", "\(outcome)")
      #expect(outcome.error["message"] == "1 fault found")
      let servers = outcome.findings(of: "servers")
      #expect(servers.count == 1 && servers[0].hasPrefix("fault: "), "\(servers)")
      let shortcuts = outcome.findings(of: "shortcuts")
      #expect(shortcuts == ["note: 1 shortcut; could not check 1 against a server"])
    }
  }

  @Test("an unpaired home is a fault with a hint to pair")
  func unpaired() {
    inWorld(isPaired: false) { world, _ in
      let outcome = await world.oppi("doctor", exits: 78)
      #expect(outcome.output.contains("fault\tservers\tnot paired"), "\(outcome)")
      #expect(outcome.output.contains("oppi pair"))
    }
  }

  @Test("a rejected token is a fault, and so is a shortcut whose workspace is gone")
  func refused() {
    inTroubledWorld { world, _, trouble in
      let gone = #"{"workspace": "studio/elsewhere", "prompt": "hello"}"#
      world.disk.put(Array(gone.utf8), at: "\(World.home)/.config/oppi/shortcuts/gone.json")
      _ = await world.oppi("shortcuts", "add", "good", "-w", "studio/demo", "hello")
      let early = await world.oppi("doctor", "--json")
      let lost = early.findings(of: "shortcuts")
      #expect(early.status == 66 && lost.count == 1, "\(early)")
      #expect(lost.first?.hasPrefix("fault: gone: ") == true, "\(lost)")
      trouble.begin { $0.isRequest ? .answer(.init(status: 401)) : .proceed }
      let outcome = await world.oppi("doctor", "--json", "--server", "studio")
      let servers = outcome.findings(of: "servers")
      #expect(servers.count == 1 && servers[0].hasPrefix("fault: "), "\(servers)")
      #expect(outcome.error["code"] == "unauthorized" && outcome.status == 77, "\(outcome)")
    }
  }

  // A server with a gate tells its time and its limits.

  @Test("a nearly full workspace and a wrong clock are warnings")
  func warnings() {
    inTroubledWorld(.gated) { world, _, trouble in
      for number in 1...16 {
        await world.oppi("ask", "-q", "-w", "demo", "hello \(number)", exits: 0)
        try await world.pass()
      }
      let later = world.loop.timestamp().moved(by: .seconds(95)).milliseconds
      trouble.begin { step in
        guard step.isRequest("/permissions/pending") else { return .proceed }
        let json = JSONValue.object(["pending": [], "serverTime": .integer(Int64(later))])
        return .answer(HTTPResponse(status: 200, body: Array(json.text().utf8)))
      }
      let outcome = await world.oppi("doctor", "--json")
      let servers = outcome.findings(of: "servers")
      #expect(servers.count == 4 && outcome.status == 0, "\(servers)")
      #expect(servers[2].hasPrefix("warning: this machine's clock is 1 min 3"), "\(servers)")
      #expect(
        servers[3].hasPrefix("warning: studio/demo has 16 of 20 sessions loaded"),
        "\(servers)"
      )
    }
  }

  @Test(
    "a wrong clock is a warning in both directions",
    arguments: [(95_500, "behind"), (-95_500, "ahead of")]
  )
  func clock(offset: Int, way: String) {
    inTroubledWorld(.gated) { world, _, trouble in
      let loop = world.loop
      trouble.begin { step in
        guard step.isRequest("/permissions/pending") else { return .proceed }
        let time = loop.timestamp().milliseconds + offset
        return .answer(json: ["pending": [], "serverTime": .integer(Int64(time))])
      }
      let servers = await world.oppi("doctor", "--json", exits: 0).findings(of: "servers")
      let warning = "warning: this machine's clock is 1 min 35 s \(way) that of studio"
      #expect(servers.contains(warning), "\(servers)")
    }
  }

  @Test("another server at the address of a paired server is a fault, also in servers test")
  func otherServer() {
    inTroubledWorld { world, _, trouble in
      // Not every server has an identity.
      trouble.at("/server/info", .answer(json: ["identity": .null]))
      await world.oppi("servers", "test", exits: 0)
      let other = "sha256:" + String(repeating: "A", count: 43)
      trouble.at("/server/info", .answer(json: ["identity": ["fingerprint": .string(other)]]))
      let outcome = await world.oppi("doctor", "--json")
      let found = outcome.findings(of: "servers")
      #expect(found == ["fault: a different server answers at the address of studio"], "\(found)")
      #expect(outcome.status == 77, "\(outcome)")
      let tried = await world.oppi("servers", "test", "--json")
      #expect(tried.status == 77 && tried.error["code"] == "identity-mismatch", "\(tried)")
      #expect(tried.json["servers"].array?.map { $0["ok"] } == [false], "\(tried)")
    }
  }

  @Test("queued prompts without automatic delivery are a warning, unless oppi watch is running")
  func outbox() {
    inWorld { world, server in
      _ = await world.oppi("workspaces")
      await server.end(.killed)
      let kept = await world.oppi("ask", "--queue", "-w", "demo", "hello", exits: 0)
      let outcome = await world.oppi("doctor", "--json")
      let waiting = outcome.findings(of: "outbox")
      #expect(waiting == ["warning: 1 queued prompt, not delivered automatically"], "\(waiting)")
      let watching = try await Watching(in: world)
      let announced = "queued prompts are not delivered automatically"
      #expect(kept.errors.contains(announced), "\(kept)")
      #expect(kept.errors.contains("deliver automatically: oppi setup, or oppi watch"), "\(kept)")
      let again = await world.oppi("ask", "--queue", "-w", "demo", "hello")
      #expect(again.status == 0 && !again.errors.contains(announced), "\(again)")
      let watched = await world.oppi("doctor", "--json")
      #expect(watched.findings(of: "outbox") == ["ok: 1 queued prompt, delivered by oppi watch"])
      #expect(watched.findings(of: "watch") == ["ok: oppi watch is running"])
      _ = await watching.end()
      // The last snapshot of the watch is a few seconds old.
      let ended = await world.oppi("doctor", "--json")
      #expect(ended.findings(of: "outbox") == waiting)
      #expect(
        ended.findings(of: "watch").first?.hasPrefix("note: oppi watch is not running") == true
      )
    }
  }

  @Test("a queued prompt of a forgotten server is a fault, in the words of outbox flush")
  func forgottenServer() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      _ = try await Watching(in: world)
      _ = await world.oppi("servers", "forget", "studio")
      let words = "server studio of prompt k is no longer paired"
      let doctor = await world.oppi("doctor", "--json", exits: 78)
      #expect(doctor.findings(of: "outbox") == ["fault: \(words)"], "\(doctor)")
      #expect(doctor.output.contains("oppi outbox drop k"), "\(doctor)")
      await world.oppi("outbox", "flush", exits: 78) { $0.errors.contains(words) }
    }
  }

  @Test("a unit or a line of the crontab delivers queued prompts")
  func deliverers() {
    for hasManager in [true, false] {
      inSchedule(hasManager: hasManager) { machine in
        await machine.world.lose(machine.server)
        let words = ["ask", "--queue", "-w", "studio/demo", "hello"]
        let announced = "queued prompts are not delivered automatically"
        machine.schedulers.crontab = "# 0 * * * * oppi outbox flush -q\n"
        #expect(await machine.oppi(words).errors.contains(announced))
        if hasManager {
          let timer = ".config/systemd/user/timers.target.wants/oppi-outbox.timer"
          machine.world.disk.put([], at: "\(World.home)/\(timer)")
        } else {
          machine.schedulers.crontab = "0 * * * * oppi outbox flush -q\n"
        }
        await machine.oppi(words, exits: 0) { !$0.errors.contains(announced) }
        let found = await machine.oppi("doctor", "--json").findings(of: "outbox")
        let name = hasManager ? "oppi-outbox.timer" : "your crontab"
        #expect(found == ["ok: 1 queued prompt, delivered by \(name)"], "\(found)")
      }
    }
  }

  @Test("schedules that do not run are faults, and a failed last run is a warning")
  func schedules() {
    inWorld { world, _ in
      let schedule = Schedule(
        name: "standup",
        trigger: ScheduleTrigger(.cron, "0 9 * * *"),
        calendar: ["*-*-* 09:00:00"],
        cron: ["0 9 * * *"],
        zone: "Europe/Berlin"
      )
      var record = ScheduleRecord(schedule, at: Timestamp(seconds: 0))
      _ = record.claim(Timestamp(seconds: 60), at: Timestamp(seconds: 60))
      record.finish(Timestamp(seconds: 60), startedAt: Timestamp(seconds: 60)) { run in
        run.state = ScheduleRun.State.failed
        run.error = "studio cannot be reached"
      }
      let folder = "\(World.home)/.local/state/oppi/schedules"
      world.disk.put(record.json.bytes(), at: "\(folder)/standup.json")
      world.disk.put([1], at: "\(folder)/broken.json")
      let outcome = await world.oppi("doctor", "--json")
      let found = outcome.findings(of: "schedules")
      #expect(found.count == 4 && found[0].hasPrefix("fault: "), "\(found)")
      #expect(found[1] == "fault: schedule standup does not run: its timer is not enabled")
      #expect(
        found[2]
          == "warning: schedule standup requires the systemd user manager, which is not running"
      )
      #expect(
        found[3] == "warning: the last run of standup was failed: studio cannot be reached",
        "\(found)"
      )
    }
  }

  @Test("damaged files are faults and are not changed")
  func damaged() {
    inWorld { world, _ in
      world.disk.put(Array("{".utf8), at: "\(World.home)/.config/oppi/config.json")
      world.disk.put(Array("[]".utf8), at: "\(World.home)/.local/state/oppi/history.json")
      let outcome = await world.oppi("doctor", exits: 78)
      let faults = outcome.lines.filter { $0.hasPrefix("fault\tfiles\t") }
      #expect(faults.count == 2 && faults.allSatisfy { $0.hasSuffix("it was not changed") })
    }
  }
}
