// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import TestSupport
import Testing

@Suite struct DesktopEntryTests {
  private static let program = SetupProgram(name: "oppi", path: "/home/ann/.local/bin/oppi")

  @Test("the menu entry opens a session")
  func application() {
    #expect(
      DesktopEntry.application(of: Self.program) == """
        [Desktop Entry]
        Type=Application
        Name=oppi
        GenericName=Coding Agents
        Comment=Open a session with a coding agent on your own server
        Icon=utilities-terminal
        Exec=/home/ann/.local/bin/oppi new
        Terminal=false
        Categories=Development;
        Keywords=agent;prompt;session;
        Actions=ask;new-session;

        [Desktop Action ask]
        Name=Ask
        Exec=/home/ann/.local/bin/oppi pick workspaces

        [Desktop Action new-session]
        Name=New Session
        Exec=/home/ann/.local/bin/oppi new

        """
    )
  }

  @Test("the link handler is hidden from menus and asks first")
  func linkHandler() {
    #expect(
      DesktopEntry.linkHandler(of: Self.program) == """
        [Desktop Entry]
        Type=Application
        Name=oppi: pair with a server
        Comment=Shows the server of an oppi:// link and asks before pairing with it
        Icon=utilities-terminal
        Exec=/home/ann/.local/bin/oppi pair --link -- %u
        Terminal=false
        NoDisplay=true
        MimeType=x-scheme-handler/oppi;

        """
    )
  }

  @Test("special characters in a path are escaped by the rules of each format")
  func escaping() {
    let odd = #"/o d/100%/$x/"q"\b/oppi"#
    #expect(
      DesktopEntry.commandLine([odd, "new"])
        == #""/o d/100%%/\\$x/\\"q\\"\\\\b/oppi" new"#
    )
    #expect(DesktopEntry.commandLine(["/p%/oppi", ""]) == #"/p%%/oppi """#)
  }
}

@Suite struct ServiceUnitTests {
  private static let program = SetupProgram(name: "oppi", path: "/home/ann/.local/bin/oppi")

  @Test("the unit matches the example, with this program's path")
  func unit() throws {
    let file = URL.package.appending(path: "Examples/systemd/oppi-watch.service")
    let example = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(example.firstRange(of: "[Unit]"))
    #expect(
      ServiceUnit.watch(by: Self.program)
        == example[start.lowerBound...].replacing("/usr/local/bin/oppi", with: Self.program.path)
    )
  }
}

@Suite struct UnitProgramTests {
  @Test("a path with quotation marks or a backslash is rejected")
  func refused() {
    #expect(UnitProgram.canRun("/o d/100%/$x;/oppi"))
    for path in [#"/a"b"#, "/a'b", #"/a\b"#] { #expect(!UnitProgram.canRun(path)) }
  }

  @Test("a percent sign is doubled, and an argument with a space or a semicolon is quoted")
  func word() {
    #expect(UnitProgram.word("/p%$/oppi") == "/p%%$/oppi")
    #expect(UnitProgram.word("/o d/100%/$x;/oppi") == #""/o d/100%%/$x;/oppi""#)
  }
}
