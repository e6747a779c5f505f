// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem
import Testing

@testable import Oppi
@testable import OppiPrompts

/// The files that setup writes, as text.
@Suite struct SetupArtifactTests {
  private static let program = SetupProgram(name: "oppi", path: "/home/ann/.local/bin/oppi")
  private static let user = SetupPlace.user(
    XDGPaths(environment: ["XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"], home: "/home/ann")
  )

  private static func paths(in place: SetupPlace, for program: SetupProgram = program) -> [String] {
    place.items(for: program).map(\.path)
  }

  /// The paths of all files except manual pages.
  private static func otherPaths(
    in place: SetupPlace,
    for program: SetupProgram = program
  ) -> [String] {
    paths(in: place, for: program).filter { !$0.contains("/man/") }
  }

  @Test("files are installed where the system looks for user files")
  func userPaths() {
    #expect(
      Self.otherPaths(in: Self.user) == [
        "/d/bash-completion/completions/oppi", "/d/zsh/site-functions/_oppi",
        "/c/fish/completions/oppi.fish", "/d/applications/oppi.desktop",
        "/d/applications/oppi-link.desktop", "/c/systemd/user/oppi-watch.service",
        "/c/systemd/user/oppi-outbox.service", "/c/systemd/user/oppi-outbox.timer",
      ]
    )
    let pages = Self.paths(in: Self.user).filter { $0.hasPrefix("/d/man/") }
    #expect(pages.count == OppiTable.manual().pages.count)
    for path in ["man1/oppi.1", "man1/oppi-ask.1", "man5/oppi-json.5", "man7/oppi-values.7"] {
      #expect(pages.contains("/d/man/\(path)"), "\(path)")
    }
  }

  @Test("a package has its files below the prefix, which is below the staging folder")
  func prefixPaths() {
    let place = SetupPlace.prefix("/usr", stage: "/stage")
    let program = SetupProgram(name: "oppi-client", path: "/usr/bin/oppi-client")
    #expect(
      Self.otherPaths(in: place, for: program)
        == [
          "/stage/usr/share/bash-completion/completions/oppi-client",
          "/stage/usr/share/zsh/site-functions/_oppi-client",
          "/stage/usr/share/fish/vendor_completions.d/oppi-client.fish",
          "/stage/usr/share/applications/oppi-client.desktop",
          "/stage/usr/share/applications/oppi-client-link.desktop",
          "/stage/usr/lib/systemd/user/oppi-client-watch.service",
          "/stage/usr/lib/systemd/user/oppi-client-outbox.service",
          "/stage/usr/lib/systemd/user/oppi-client-outbox.timer",
        ]
    )
    let pages = Self.paths(in: place, for: program).filter { $0.contains("/man/") }
    #expect(pages.contains("/stage/usr/share/man/man1/oppi-client-ask.1"))
    #expect(pages.allSatisfy { $0.hasPrefix("/stage/usr/share/man/man") }, "\(pages)")
    #expect(place.recordName == nil)
    #expect(SetupPlace.prefix("/usr", stage: "").recordName == "/usr")
    #expect(SetupPlace.prefix("", stage: "").recordName == "/")
  }

  @Test("every file ends with a comment in its format that states its origin")
  func marks() {
    for item in Self.user.items(for: Self.program) {
      let last = String(decoding: item.bytes, as: UTF8.self).split(separator: "\n").last ?? ""
      let mark = " Written by 'oppi setup'; remove with 'oppi setup --remove'."
      let comment = item.what == "manual page" ? ".\\\"" : "#"
      #expect(last == "\(comment)\(mark)", "\(item.path)")
    }
  }
}
