// SPDX-License-Identifier: MIT

import OppiWire
import TestSupport
import Testing

@Suite struct WorkspaceReferenceTests {
  @Test(
    "a composite id is split at the bar and joined again",
    arguments: ["iaOoCYKG", "-CzT5M5I", "_PuA2eDo"]
  )
  func roundTrip(id: String) throws {
    let text = "\(sampleFingerprint)|\(id)"
    let reference = try #require(WorkspaceReference(text))
    #expect(reference.serverID.text == sampleFingerprint)
    #expect(reference.workspaceID == id)
    #expect(reference.description == text)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "|", "\(sampleFingerprint)|", "|iaOoCYKG", "\(sampleFingerprint)|a|b",
      "\(sampleFingerprint):a",
      "\(sampleFingerprint)|a/b", "\(sampleFingerprint)|a b", "server|iaOoCYKG",
    ]
  )
  func refuses(text: String) {
    #expect(WorkspaceReference(text) == nil)
  }
}

@Suite struct LaunchTargetTests {
  @Test(
    "a target is recent for 60 s, and after the clock was set back",
    arguments: [(0, true), (59, true), (60, true), (61, false), (-3600, true)]
  )
  func recent(age: Int, isRecent: Bool) throws {
    let workspace = try #require(
      WorkspaceReference(
        serverID: Fingerprint(digest: Array(repeating: 1, count: 32)),
        workspaceID: "ws-1"
      )
    )
    let target = LaunchTarget(workspace: workspace, timestamp: .noon)
    #expect(target.isRecent(at: .ago(-age)) == isRecent)
    #expect(target.age(at: .ago(-age)) == max(0, age))
  }
}

@Suite struct FolderPathTests {
  private static let home = "/home/ana"

  private static func path(_ text: String) throws -> FolderPath {
    try #require(FolderPath(text, home: home))
  }

  @Test(
    "a folder is normalized to a path from the root or from the home folder",
    arguments: [
      ("~", "~"), ("~/", "~"), ("~/src/api", "~/src/api"), ("~/src/api/", "~/src/api"),
      ("/home/ana//src/./api", "~/src/api"), ("~/src/x/../api", "~/src/api"), ("/", "/"),
      ("/srv/a b", "/srv/a b"), ("/..", "/"), ("/home/anabel", "/home/anabel"),
    ]
  )
  func written(text: String, expected: String) throws {
    #expect(try Self.path(text).text(home: Self.home) == expected)
  }

  @Test(
    "any other path is rejected",
    arguments: ["", "src", "./src", "../x", "~ana/src", "$HOME/src"]
  )
  func refused(text: String) {
    #expect(FolderPath(text, home: Self.home) == nil)
  }

  @Test(
    "parent folders are compared by whole components",
    arguments: [
      ("~/src", "/home/ana/src", 0), ("~/src", "~/src/api/deep", 2), ("/", "~/src", 3),
      ("~/src/api", "~/src/api2", nil), ("~/src/api", "~/src", nil), ("/home/an", "~", nil),
    ] as [(String, String, Int?)]
  )
  func levels(folder: String, other: String, levels: Int?) throws {
    #expect(try Self.path(folder).levels(above: Self.path(other)) == levels)
  }

  @Test("a home folder that is the root does not shorten paths")
  func rootHome() throws {
    let path = try #require(FolderPath("~/srv", home: "/"))
    #expect(path.text(home: "/") == "/srv")
  }
}

@Suite struct ShortIDsTests {
  @Test("an id is shortened to 8 characters, and to more if another id starts with them")
  func starts() {
    let ids = ["0c6d2f31-aaaa-1", "0c6d2f31-aaab-1", "7f000000-0000-1", "CdJR04ap", "a"]
    let short = ShortIDs(ids)
    #expect(
      ids.map { short[$0] } == ["0c6d2f31-aaaa", "0c6d2f31-aaab", "7f000000", "CdJR04ap", "a"]
    )
    #expect(short["another-long-unknown-id"] == "another-long-unknown-id")
  }

  @Test("a short id is the start of one id only", arguments: 0..<20)
  func unique(seed: Int) {
    let digits = Array("01-")
    let ids = Set(
      (0..<200).map { number in
        String((0..<14).map { digits[(number * 31 + seed * 7 + $0 * number / 3) % 3] })
      }
    )
    let short = ShortIDs(ids)
    for id in ids where short[id] != id {
      #expect(ids.filter { $0.hasPrefix(short[id]) } == [id])
    }
  }
}
