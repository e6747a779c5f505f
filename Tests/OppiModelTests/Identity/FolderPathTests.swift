// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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
