// SPDX-License-Identifier: MIT

import CommandTable
import OppiTerminal
import OppiText
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite struct ListingTests {
  private struct Song: Sendable {
    var title: String
    var singer: String?
    var tags: [String] = []
    var server = "studio"
  }

  private static let inner: JSONShape<String> = [.text("name", "Its name") { $0 }]

  private static let list = Listing<Song>(
    "songs",
    formerly: "tracks",
    "The songs",
    [
      .text("title", "Its title") { $0.title },
      .object("singer", "Who sings it", inner) { $0.singer },
      .texts("tags", "Its tags") { $0.tags },
      .bool("loud", "Whether it is loud") { $0.tags.contains("loud") },
      .number("length", "The length of its title") { $0.title.count },
    ],
    columns: [
      .text("TITLE", .kept, .name) { $0.title },
      .server { $0.server },
      .age(.detail(1)) { _ in Timestamp(milliseconds: 0) },
      .text("SINGER", .decides) { $0.singer },
    ],
    pipe: [
      "title", "singer.name", "tags", "loud", "length", .text { $0.server }, .text { _ in nil },
    ]
  )

  private static let songs = [
    Song(title: "Hum", singer: "Ann", tags: ["loud", "new"]), Song(title: "Silence"),
  ]

  @Test("help has the list, the members of a row, and the earlier name of the list")
  func members() {
    #expect(
      Self.list.members.map(\.term) == [
        "songs", "songs[].title", "songs[].singer", "songs[].singer.name", "songs[].tags",
        "songs[].loud", "songs[].length", "tracks",
      ]
    )
  }

  @Test("a terminal shows the columns; the server only if there are several")
  func columns() {
    let now = Timestamp(seconds: 300)
    func lines(isOnlyServer: Bool) -> [String] {
      Self.list.table(of: Self.songs, ListView(now: now, isOnlyServer: isOnlyServer))
        .aligned(width: 80, theme: .plain)
    }
    #expect(
      lines(isOnlyServer: false) == [
        "TITLE    SERVER    AGE  SINGER", "Hum      studio  5 min  Ann",
        "Silence  studio  5 min",
      ]
    )
    #expect(
      lines(isOnlyServer: true) == [
        "TITLE      AGE  SINGER", "Hum      5 min  Ann", "Silence  5 min",
      ]
    )
  }

  @Test("on a terminal every list with columns has their headers")
  func headers() {
    inSchedule { machine in
      let world = machine.world
      _ = try await world.session(asking: "question")
      try await machine.add()
      func expectHeaders(of command: String) async throws {
        let terminal = world.start(
          command.wordsOfRow,
          columns: 120,
          environment: machine.environment
        )
        _ = try await terminal.end()
        let hasHeaders = terminal.lines.contains { $0.contains(/^[A-Z]+(  +[A-Z ]+)+$/) }
        #expect(hasHeaders, "\(command): \(terminal.lines)")
      }
      for command in [
        "sessions", "workspaces", "models -w demo", "servers", "servers test",
        "history", "history --costs", "shortcuts", "schedule", "examples", "servers devices",
      ] {
        try await expectHeaders(of: command)
      }
      _ = await world.oppi("answer", "last", "1", "")
      try await expectHeaders(of: "approvals log")
      await machine.server.end(.killed)
      await machine.oppi("ask", "--queue", "-w", "demo", "later", exits: 0)
      try await expectHeaders(of: "outbox")
    }
  }

  @Test("a pipe has the values of the members by their paths; nothing for null")
  func values() {
    #expect(
      Self.list.values(of: Self.songs) == [
        ["Hum", "Ann", "loud,new", "true", "3", "studio", ""],
        ["Silence", "", "", "false", "7", "studio", ""],
      ]
    )
  }
}
