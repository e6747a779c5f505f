// SPDX-License-Identifier: MIT

import Foundation
import OppiSystem
import TestSupport
import Testing

@Suite("XDGPaths")
struct XDGPathsTests {
  private static let absolute = [
    "HOME": "/home/ann", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k",
  ]

  @Test(
    "a folder comes from its variable, from HOME or from the user database, in this order",
    arguments: [
      (absolute, "/c/oppi", "/s/oppi", "/k/oppi"),
      (
        ["HOME": "/home/ann"], "/home/ann/.config/oppi", "/home/ann/.local/state/oppi",
        "/home/ann/.cache/oppi"
      ),
      ([:], "/db/.config/oppi", "/db/.local/state/oppi", "/db/.cache/oppi"),
      (["HOME": ""], "/db/.config/oppi", "/db/.local/state/oppi", "/db/.cache/oppi"),
      (["HOME": "ann"], "/db/.config/oppi", "/db/.local/state/oppi", "/db/.cache/oppi"),
      (
        ["HOME": "/h", "XDG_CONFIG_HOME": "rel", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "./k"],
        "/h/.config/oppi", "/h/.local/state/oppi", "/h/.cache/oppi"
      ),
    ]
  )
  func folders(environment: [String: String], config: String, state: String, cache: String) {
    let paths = XDGPaths(environment: environment, home: "/db")
    #expect(paths.config == config)
    #expect(paths.state == state)
    #expect(paths.cache == cache)
  }

  @Test(
    "the status file is in the runtime folder, or in the state folder without one",
    arguments: [
      ("/run/user/7", "/run/user/7/oppi"), ("run", "/home/ann/.local/state/oppi"),
      ("", "/home/ann/.local/state/oppi"), (nil, "/home/ann/.local/state/oppi"),
    ] as [(String?, String)]
  )
  func runtime(variable: String?, folder: String) {
    var environment = ["HOME": "/home/ann"]
    environment["XDG_RUNTIME_DIR"] = variable
    let paths = XDGPaths(environment: environment, home: "/db")
    #expect(paths.runtime == folder)
    #expect(paths.statusFile == "\(folder)/status.json")
  }

  @Test("the checks know every file and folder that the paths declare")
  func ownFiles() throws {
    let source = URL.package.appending(path: "Sources/OppiSystem/Files/XDGPaths.swift")
    let text = try String(contentsOf: source, encoding: .utf8)
    let declared = text.matches(of: /var \w+(?:File|Folder): String \{ (\w+) \+ "([^"]+)" \}/)
    let folders = [
      "config": "/c/oppi", "state": "/s/oppi", "cache": "/k/oppi", "runtime": "/run/user/7/oppi",
    ]
    let expected = try declared.map { match in
      try #require(folders[String(match.1)]) + String(match.2)
    }
    #expect(expected.count > 25)
    #expect(text.matches(of: /var \w+(?:File|Folder): String/).count == expected.count)
    var environment = Self.absolute
    environment["XDG_RUNTIME_DIR"] = "/run/user/7"
    let paths = XDGPaths(environment: environment, home: "/db")
    #expect(paths.ownFiles.map(\.path).sorted() == expected.sorted())
    #expect(paths.ownFolders == ["/c/oppi", "/s/oppi", "/k/oppi", "/run/user/7/oppi"])
  }

  @Test("a folder with two uses is listed once")
  func sharedFolder() {
    let paths = XDGPaths(environment: Self.absolute, home: "/db")
    #expect(paths.ownFolders == ["/c/oppi", "/s/oppi", "/k/oppi"])
  }

  @Test("each file is in the folder of its kind")
  func files() {
    let paths = XDGPaths(environment: Self.absolute, home: "/db")
    #expect(paths.configFile == "/c/oppi/config.json")
    #expect(paths.serversFile == "/c/oppi/servers.json")
    #expect(paths.credentialsFile == "/s/oppi/credentials.json")
    #expect(paths.lastUsedFile == "/s/oppi/last-used.json")
    #expect(paths.setupFile == "/s/oppi/setup.json")
    #expect(paths.configHome == "/c" && paths.dataHome == "/home/ann/.local/share")
    #expect(paths.workspacesFile == "/k/oppi/workspaces.json")
  }
}
