// SPDX-License-Identifier: MIT
//
// Made by .ci/examples from Examples/; not to be changed here.
// swift-format-ignore-file

extension Example {
  /// All of them, by their names; made when they are first asked for.
  static let all: [Example] = [
    Example(name: "argos", files: [
      File(path: "README.md", text: ##"""
# argos: the sessions' state in Argos, kargos and xbar

Shows what matters most of all sessions on all servers, each session in the menu, as `oppi watch` has it, or the servers themselves.

    oppi examples show argos --file oppi.10s.sh | install -Dm755 /dev/stdin ~/.config/argos/oppi.10s.sh

Success: the state, with its colour or class.

Failure: a line all the same, marked as old or unreachable; `oppi status` in a terminal says why.

Back: `rm ~/.config/argos/oppi.10s.sh`

"""##),
      File(path: "oppi.10s.sh", text: ##"""
#!/bin/sh
# For Argos on GNOME: the 10s in its name says how often it runs. kargos and xbar read the same.
exec /usr/local/bin/oppi status --format argos

"""##),
    ]),
    Example(name: "at", files: [
      File(path: "README.md", text: ##"""
# at: a shortcut once, at a given time

Fires when at(1) says so; a time that passed while the machine was off is made up for when it is on again. The job names a
shortcut and a key of its own, so it asks once, however often it is run.

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi examples show at --file oppi-at | install -Dm755 /dev/stdin ~/.local/bin/oppi-at
    oppi-at standup 17:30

Success: nothing is said; `oppi history` has the session. A server that is away gets the prompt later, see `oppi outbox`.

Failure: at(1) mails you what the job said, the error with its hint. Without mail on the machine look into `oppi outbox`.

Back: `atq` lists the jobs, `atrm N` drops one; `rm ~/.local/bin/oppi-at`.

"""##),
      File(path: "oppi-at", text: ##"""
#!/bin/sh
# Runs a shortcut once, at a time that at(1) understands:
#
#   oppi-at standup 17:30 tomorrow
#
# at(1) keeps every exported variable in its spool, tokens of other programs included, so it is given
# these few alone. A job reads its own script unless its line says otherwise.
set -eu

name=${1:?usage: oppi-at NAME TIME...}
shift
# The name becomes a word of the job's script.
case $name in
  [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*)
    printf 'oppi-at: not a name of a shortcut: %s\n' "$name" >&2
    exit 64
    ;;
esac
# A name that is not there is an error now and not then.
/usr/local/bin/oppi shortcuts show -q "$name" >/dev/null

key=at-$name-$(date +%s)-$$
printf '/usr/local/bin/oppi run -q --key %s %s </dev/null >/dev/null\n' "$key" "$name" |
  env -i HOME="$HOME" PATH=/usr/bin:/bin LOGNAME="$(id -un)" ${TZ:+TZ="$TZ"} \
    ${XDG_CONFIG_HOME:+XDG_CONFIG_HOME="$XDG_CONFIG_HOME"} \
    ${XDG_STATE_HOME:+XDG_STATE_HOME="$XDG_STATE_HOME"} at "$@"

"""##),
    ]),
    Example(name: "ci", files: [
      File(path: "README.md", text: ##"""
# ci: a shortcut as a step of a CI job

Fires on a push, waits for the turn and ends as it ended, on a runner of your own: its user is paired and has the shortcut.

    oppi shortcuts add ci-review -w studio/api --input --wait --on-ask fail --after stop --timeout 15m 'review this commit on {{branch}}: {{input}}'
    mkdir -p .github/workflows && oppi examples show ci --file oppi.yml > .github/workflows/oppi.yml

Success: the step is green, and the answer is in the job's summary.

Failure: the step is red, with the error in its log and its exit status: 1 the turn failed or came back empty, 3 the agent waits for
a human, 69 and 75 the server was away or busy, 124 the shortcut's time limit has passed; see `oppi help exit-status`.

Back: remove the file.

"""##),
      File(path: "oppi.yml", text: ##"""
# A workflow for GitHub Actions (Forgejo and Gitea read it, too): .github/workflows/oppi.yml
#
# It runs on a machine of your own that is paired and has the shortcut, since a hosted one cannot reach
# your server and would have to be given a token.
name: oppi
on:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  review:
    runs-on: [self-hosted, oppi]
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - name: Have the commit reviewed
        # With a pipe's status, not its last program's alone.
        shell: bash
        env:
          # A branch's name is anybody's writing: in run itself it would be part of the script.
          BRANCH: ${{ github.ref_name }}
        run: |
          git show --stat --patch --no-color HEAD |
            /usr/local/bin/oppi run --var branch="$BRANCH" ci-review >>"$GITHUB_STEP_SUMMARY"

"""##),
    ]),
    Example(name: "cron", files: [
      File(path: "README.md", text: ##"""
# cron: shortcuts at fixed times

Fires by the lines of a crontab. Cron gives a job no terminal, no `PATH` but `/usr/bin:/bin` and no session bus; the lines need
none of them. `oppi schedule add standup --cron '0 9 * * 1-5' --backend cron` writes such a line by itself, and runs no slot twice.

    oppi shortcuts add standup -w studio/api 'what was done yesterday?'
    oppi shortcuts add nightly -w studio/api --session same 'go on with the list in TODO.md'
    (crontab -l; oppi examples show cron --file crontab) | crontab -

Success: the first line says nothing, the second writes the session's id to `~/oppi.log`.

Failure: cron mails you the error of the first line with its hint; that of the second is in `~/oppi.log`, for machines without mail.

Back: `crontab -e`, and remove the lines.

"""##),
      File(path: "crontab", text: ##"""
# Shortcuts by cron. 'oppi schedule add standup --cron "0 9 * * 1-5"' writes such a line by itself, and
# runs no slot twice; these are for a crontab that you keep by hand.
#
# Cron gives a job no terminal, no PATH but /usr/bin:/bin and no session bus; oppi needs none of
# them. A prompt never stands in the line itself, where cron would read % as a line break and write
# the text to syslog: the line names a shortcut.
#
# Cron mails you what a job prints. -q and >/dev/null keep a success silent, so that a mail is an
# error with its hint; the second job writes both into a log, for machines without mail. flock keeps
# a slow run from being started twice, and 75 is "try again later" in both programs.

# On working days at 9.
0 9 * * 1-5  /usr/bin/flock -n -E 75 "$HOME/.standup.lock" /usr/local/bin/oppi run -q standup >/dev/null

# Every night, in the session of the night before: log what became of it.
30 2 * * *   /usr/local/bin/oppi run --json nightly >>"$HOME/oppi.log" 2>&1

"""##),
    ]),
    Example(name: "desktop", files: [
      File(path: "README.md", text: ##"""
# desktop: an entry in the menu, and what opens oppi:// links

Fires from the menu or the dock, with Ask and New Session behind a right click, and when an invite was clicked: a terminal window shows
the server's name, address, identity and certificate, and nothing is sent before you have typed `yes`. `oppi setup` does all this
by itself.

    for f in oppi oppi-link; do oppi examples show desktop --file $f.desktop | install -Dm644 /dev/stdin ~/.local/share/applications/$f.desktop; done
    update-desktop-database ~/.local/share/applications && xdg-mime default oppi-link.desktop x-scheme-handler/oppi

Success: a window opens; a notification says what was asked, or with which server you are paired now.

Failure: a notification has the error and its hint.

Back: `rm ~/.local/share/applications/oppi.desktop ~/.local/share/applications/oppi-link.desktop; update-desktop-database ~/.local/share/applications`

"""##),
      File(path: "oppi-link.desktop", text: ##"""
[Desktop Entry]
Type=Application
Name=oppi: pair with a server
Comment=Shows the server of an oppi:// link and asks before pairing with it
Icon=utilities-terminal
Exec=/usr/local/bin/oppi pair --link -- %u
Terminal=false
NoDisplay=true
MimeType=x-scheme-handler/oppi;

"""##),
      File(path: "oppi.desktop", text: ##"""
[Desktop Entry]
Type=Application
Name=oppi
GenericName=Coding Agents
Comment=Open a session with a coding agent on your own server
Icon=utilities-terminal
Exec=/usr/local/bin/oppi new
Terminal=false
Categories=Development;
Keywords=agent;prompt;session;
Actions=ask;new-session;

[Desktop Action ask]
Name=Ask
Exec=/usr/local/bin/oppi pick workspaces

[Desktop Action new-session]
Name=New Session
Exec=/usr/local/bin/oppi new

"""##),
    ]),
    Example(name: "each-repository", files: [
      File(path: "README.md", text: ##"""
# each-repository: a shortcut for every repository below a folder

Fires when you run it. The shortcut names no workspace, so each run takes the one that is called like the repository's folder.

    oppi shortcuts add update 'update the dependencies'
    oppi examples show each-repository --file oppi-each-repository | install -Dm755 /dev/stdin ~/.local/bin/oppi-each-repository
    oppi-each-repository ~/code update

Success: a line for each repository with its session.

Failure: a line on standard error for each that was not taken, and the exit status of the first.

Back: `rm ~/.local/bin/oppi-each-repository`

"""##),
      File(path: "oppi-each-repository", text: ##"""
#!/bin/sh
# Runs a shortcut for every git repository below a folder, in the workspace that is named like it, and
# says which repositories were not taken.
#
#   oppi-each-repository ~/code update
#
# Prints each repository with its session; an error goes to standard error. Ends with the status of
# the first failure, but 6 (delivery unknown) before all others, as oppi itself does.
set -u

folder=${1:?usage: oppi-each-repository FOLDER SHORTCUT}
shortcut=${2:?usage: oppi-each-repository FOLDER SHORTCUT}
result=0

for git in "$folder"/*/.git; do
  [ -e "$git" ] || continue
  repository=$(basename "$(dirname "$git")")
  session=$(OPPI_WORKSPACE=$repository /usr/local/bin/oppi run -q --gui never "$shortcut")
  status=$?
  if [ "$status" -eq 0 ]; then
    printf '%s\t%s\n' "$repository" "$session"
  else
    printf '%s: not asked (status %d)\n' "$repository" "$status" >&2
    if [ "$result" -eq 0 ] || [ "$status" -eq 6 ]; then result=$status; fi
  fi
done
exit "$result"

"""##),
    ]),
    Example(name: "git-hook", files: [
      File(path: "README.md", text: ##"""
# git-hook: a shortcut for each commit

Fires after a commit in one repository, with the commit as the shortcut's input. The commit does not wait, and under its hash it is
asked about once.

    oppi shortcuts add review -w studio/api --input --queue 'review this commit on {{branch}}: {{input}}'
    oppi examples show git-hook --file post-commit | install -m755 /dev/stdin "$(git rev-parse --git-path hooks)/post-commit"

Success: a notification names the workspace, and `.git/oppi.log` ends with `status 0`.

Failure: a notification has the error and its hint; `.git/oppi.log` has it with the exit status, which the next commit prints, too.

Back: `rm "$(git rev-parse --git-path hooks)/post-commit"`

"""##),
      File(path: "post-commit", text: ##"""
#!/bin/sh
# Hands each commit to the shortcut 'review'. Goes to .git/hooks/post-commit.
#
# git waits for a hook, so it goes on in the background, in a session of its own, which outlives the
# terminal. What became of the last one is in .git/oppi.log; a failure is told by the next commit, too.
# The branch's name is anybody's writing, and goes into a value.
set -u

log=$(git rev-parse --absolute-git-dir)/oppi.log

if [ "${1:-}" != --send ]; then
  tail -n 1 "$log" 2>/dev/null | grep -v ' status 0$' >&2
  setsid "$0" --send </dev/null >/dev/null 2>&1 &
  exit 0
fi

commit=$(git rev-parse HEAD)
branch=$(git symbolic-ref --quiet --short HEAD || printf 'no branch')
said=$(git show --stat --patch --no-color HEAD | head -c 1000000 |
  /usr/local/bin/oppi run --key "commit-$commit" --var branch="$branch" review 2>&1 >/dev/null)
status=$?
{
  printf '%s\n' "$said"
  printf 'oppi: commit %s: status %s\n' "$commit" "$status"
} >>"$log"
exit "$status"

"""##),
    ]),
    Example(name: "gnome", files: [
      File(path: "README.md", text: ##"""
# gnome: keys for a menu, a session and a shortcut

Fires on Super+Shift+O (a menu), Super+Shift+N (a new session) and Super+Control+O (a shortcut).

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi examples show gnome --file oppi-keys | sh

Success: a notification names the workspace; Super+Shift+N opens a window.

Failure: a notification has the error and its hint.

Back: `oppi examples show gnome --file oppi-keys | sh -s -- --remove`, or Settings, Keyboard, Custom Shortcuts.

"""##),
      File(path: "oppi-keys", text: ##"""
#!/bin/sh
# Adds keys to GNOME, or takes them back with --remove: Super+Shift+O is a menu, Super+Shift+N a new
# session, Super+Control+O a shortcut.
#
# GNOME keeps a list of paths, one a key; the list is read and added to, since it belongs to all
# programs. Running this twice changes nothing.
set -eu

schema=org.gnome.settings-daemon.plugins.media-keys
folder=/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings

without() {
  printf '%s' "$1" | sed -e "s|'$2', ||" -e "s|, '$2'||" -e "s|'$2'||"
}

key() {
  path=$folder/$1/
  list=$(gsettings get "$schema" custom-keybindings)
  list=$(without "${list#@as }" "$path")
  if [ "$remove" = yes ]; then
    gsettings set "$schema" custom-keybindings "$list"
    gsettings reset-recursively "$schema.custom-keybinding:$path"
    return
  fi
  gsettings set "$schema.custom-keybinding:$path" name "$2"
  gsettings set "$schema.custom-keybinding:$path" binding "$3"
  gsettings set "$schema.custom-keybinding:$path" command "$4"
  case $list in
    '[]') gsettings set "$schema" custom-keybindings "['$path']" ;;
    *) gsettings set "$schema" custom-keybindings "${list%]}, '$path']" ;;
  esac
}

remove=no
[ "${1:-}" != --remove ] || remove=yes
key oppi-pick 'oppi: pick' '<Super><Shift>o' '/usr/local/bin/oppi pick'
key oppi-new 'oppi: new session' '<Super><Shift>n' '/usr/local/bin/oppi new'
key oppi-standup 'oppi: standup' '<Super><Control>o' '/usr/local/bin/oppi run standup'

"""##),
    ]),
    Example(name: "hyprland", files: [
      File(path: "README.md", text: ##"""
# hyprland: keys for a menu, a session and a shortcut

Fires on Super+O (a menu), Super+N (a new session), Super+Shift+O (a shortcut) and Super+Control+O (a shortcut with the clipboard,
by `wl-clipboard`).

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi shortcuts add clip -w studio/api --input '{{input}}'
    oppi examples show hyprland --file oppi.conf > ~/.config/hypr/oppi.conf
    echo 'source = ~/.config/hypr/oppi.conf' >> ~/.config/hypr/hyprland.conf && hyprctl reload

Success: a notification names the workspace; Super+N opens a window.

Failure: a notification has the error and its hint. A line that Hyprland does not take is in `hyprctl configerrors`.

Back: remove the `source` line and the file, then `hyprctl reload`.

"""##),
      File(path: "oppi.conf", text: ##"""
# Keys for Hyprland; source it from ~/.config/hypr/hyprland.conf.
#
# A key has no terminal, so oppi tells by a notification what became of it, success and failure.

# A menu: shortcuts, workspaces to ask in, and what waits for approval.
bind = SUPER, O, exec, /usr/local/bin/oppi pick

# A new session in a terminal window, ready to type.
bind = SUPER, N, exec, /usr/local/bin/oppi new

# Run a shortcut.
bind = SUPER SHIFT, O, exec, /usr/local/bin/oppi run standup

# Run a shortcut with what is on the clipboard as its input.
bind = SUPER CTRL, O, exec, wl-paste --no-newline | /usr/local/bin/oppi run clip

"""##),
    ]),
    Example(name: "i3", files: [
      File(path: "README.md", text: ##"""
# i3: keys for a menu, a session and a shortcut

Fires on Super+O (a menu), Super+N (a new session), Super+Shift+O (a shortcut) and Super+Control+O (a shortcut with the selection,
by `xclip`).

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi shortcuts add clip -w studio/api --input '{{input}}'
    oppi examples show i3 --file oppi.conf > ~/.config/i3/oppi.conf
    echo 'include ~/.config/i3/oppi.conf' >> ~/.config/i3/config && i3 -C && i3-msg reload

Success: a notification names the workspace; Super+N opens a window.

Failure: a notification has the error and its hint. It needs a notification daemon and a session bus, as i3 has by `dbus-run-session`.

Back: remove the `include` line and the file, then `i3-msg reload`.

"""##),
      File(path: "oppi.conf", text: ##"""
# Keys for i3; include it from ~/.config/i3/config.
#
# A key has no terminal, so oppi tells by a notification what became of it, success and failure. Each
# whole command stands in double quotes, since i3 would split it at , and ; outside of them.

# A menu: shortcuts, workspaces to ask in, and what waits for approval.
bindsym Mod4+o exec --no-startup-id "/usr/local/bin/oppi pick"

# A new session in a terminal window, ready to type.
bindsym Mod4+n exec --no-startup-id "/usr/local/bin/oppi new"

# Run a shortcut.
bindsym Mod4+Shift+o exec --no-startup-id "/usr/local/bin/oppi run standup"

# Run a shortcut with what is selected as its input.
bindsym Mod4+Control+o exec --no-startup-id "xclip -o | /usr/local/bin/oppi run clip"

"""##),
    ]),
    Example(name: "i3blocks", files: [
      File(path: "README.md", text: ##"""
# i3blocks: the sessions' state in i3blocks, for i3 and sway

Shows what matters most of all sessions on all servers, with a menu of what waits for approval on a click, as `oppi watch` has it, or the servers themselves.

    oppi examples show i3blocks --file config >> ~/.config/i3blocks/config && i3-msg restart

Success: the state, with its colour or class.

Failure: a line all the same, marked as old or unreachable; `oppi status` in a terminal says why.

Back: remove the block.

"""##),
      File(path: "config", text: ##"""
# A block for ~/.config/i3blocks/config. It is urgent where an approval waits; leave its markup at none.
# A click is told by BLOCK_BUTTON, and the block waits for its command: the menu goes on by itself.
[oppi]
command=[ "${BLOCK_BUTTON:-}" != 1 ] || setsid -f /usr/local/bin/oppi pick approvals >/dev/null 2>&1 </dev/null; /usr/local/bin/oppi status --format i3blocks
interval=5

"""##),
    ]),
    Example(name: "kde", files: [
      File(path: "README.md", text: ##"""
# kde: keys for a menu, a session and a shortcut

Fires on Meta+Shift+O (a menu), Meta+Shift+N (a new session) and Meta+Control+O (a shortcut), from the next login on. Each is a
command shortcut as System Settings, Keyboard, Shortcuts makes them, where it can be changed, too.

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    for k in pick new standup; do oppi examples show kde --file oppi-$k.desktop | install -Dm644 /dev/stdin ~/.local/share/kglobalaccel/oppi-$k.desktop; done

Success: a notification names the workspace; Meta+Shift+N opens a window.

Failure: a notification has the error and its hint.

Back: `rm ~/.local/share/kglobalaccel/oppi-*.desktop`, and remove them in System Settings.

"""##),
      File(path: "oppi-new.desktop", text: ##"""
[Desktop Entry]
Type=Application
Name=oppi: new session
Exec=/usr/local/bin/oppi new
NoDisplay=true
StartupNotify=false
X-KDE-GlobalAccel-CommandShortcut=true
X-KDE-Shortcuts=Meta+Shift+N

"""##),
      File(path: "oppi-pick.desktop", text: ##"""
[Desktop Entry]
Type=Application
Name=oppi: pick
Exec=/usr/local/bin/oppi pick
NoDisplay=true
StartupNotify=false
X-KDE-GlobalAccel-CommandShortcut=true
X-KDE-Shortcuts=Meta+Shift+O

"""##),
      File(path: "oppi-standup.desktop", text: ##"""
[Desktop Entry]
Type=Application
Name=oppi: standup
Exec=/usr/local/bin/oppi run standup
NoDisplay=true
StartupNotify=false
X-KDE-GlobalAccel-CommandShortcut=true
X-KDE-Shortcuts=Meta+Ctrl+O

"""##),
    ]),
    Example(name: "kubernetes", files: [
      File(path: "README.md", text: ##"""
# kubernetes: a CronJob with a Secret, for who has outgrown one machine

Fires by the cluster's clock. The pod has a pairing of its own, made in a home for it alone, so it can be revoked alone; the job ends as
the turn ended.

    export HOME=$(mktemp -d); oppi pair --name studio -
    oppi shortcuts add standup -w studio/api --wait --on-ask fail --after stop --timeout 15m 'what was done yesterday?'
    jq -rj '.tokens[]' ~/.local/state/oppi/credentials.json > ~/token
    kubectl create secret generic oppi --from-file=$HOME/.config/oppi/servers.json --from-file=$HOME/.config/oppi/shortcuts/standup.json --from-file=$HOME/token
    oppi examples show kubernetes --file cronjob.yaml | kubectl apply -f -; rm -r "$HOME"

The image is made by `Containerfile`; put its name into the CronJob.

Success: the job is complete, and the answer is its log: `kubectl logs job/NAME`.

Failure: the job has failed with the exit status of oppi (`kubectl describe job NAME`), and the error is its log. It is tried again
only where the server was away or busy.

Back: `kubectl delete cronjob/oppi-standup secret/oppi`, and revoke the device on the server.

"""##),
      File(path: "Containerfile", text: ##"""
# oppi beside this file; what it needs is glibc, libstdc++ and, for https, OpenSSL.
FROM debian:stable-slim
RUN apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*
COPY --chmod=755 oppi /usr/local/bin/oppi
USER 1000
ENTRYPOINT ["/usr/local/bin/oppi"]

"""##),
      File(path: "cronjob.yaml", text: ##"""
# A shortcut by the clock of a cluster. The Secret 'oppi' has what would be in a home: the paired server,
# its token and the shortcut; the README says how to make it.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: oppi-standup
spec:
  schedule: "0 9 * * 1-5"
  timeZone: Europe/Berlin
  concurrencyPolicy: Forbid
  # A run that is an hour late is left out.
  startingDeadlineSeconds: 3600
  jobTemplate:
    spec:
      backoffLimit: 4
      podFailurePolicy:
        rules:
          # Tried again is only what has surely not run: 69, the server is away, and 75, try again later.
          # 6, delivery unknown, never is.
          - action: FailJob
            onExitCodes:
              containerName: oppi
              operator: NotIn
              values: [69, 75]
      template:
        spec:
          restartPolicy: Never
          automountServiceAccountToken: false
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            fsGroup: 1000
          containers:
            - name: oppi
              # Made by the Containerfile of this example.
              image: registry.example.org/oppi:0.1.0
              args: [run, --gui, never, standup]
              env:
                - {name: XDG_CONFIG_HOME, value: /etc/oppi-home}
                - {name: XDG_STATE_HOME, value: /var/oppi}
                - {name: XDG_CACHE_HOME, value: /var/oppi}
                - {name: CREDENTIALS_DIRECTORY, value: /etc/oppi-token}
              securityContext:
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities: {drop: [ALL]}
              volumeMounts:
                - {name: home, mountPath: /etc/oppi-home, readOnly: true}
                - {name: token, mountPath: /etc/oppi-token, readOnly: true}
                - {name: state, mountPath: /var/oppi}
          volumes:
            - name: home
              secret:
                secretName: oppi
                items:
                  - {key: servers.json, path: oppi/servers.json}
                  - {key: standup.json, path: oppi/shortcuts/standup.json}
            - name: token
              secret:
                secretName: oppi
                items:
                  - {key: token, path: oppi-studio}
            - name: state
              emptyDir: {}

"""##),
    ]),
    Example(name: "mail", files: [
      File(path: "README.md", text: ##"""
# mail: a shortcut for each mail to an address

Fires when the mail server delivers to you, with the mail as the shortcut's input. Anybody who knows the address prompts your agent:
take one that nobody guesses, such as `me+WORD@…` with a long word, and let nothing run without your approval.

    oppi shortcuts add mail -w studio/api --input --queue 'this mail came: {{input}}'
    oppi examples show mail --file oppi-mail | install -Dm755 /dev/stdin ~/.local/bin/oppi-mail
    oppi examples show mail --file mailfilter | sed s/WORD/$(openssl rand -hex 12)/ > ~/.mailfilter && chmod 600 ~/.mailfilter

Without maildrop Postfix and Exim read `~/.forward`, which takes all your mail, or `~/.forward+WORD` (Postfix) for one address:

    oppi examples show mail --file forward | sed "s|HOME|$HOME|" > ~/.forward+WORD

Success: the mail is gone from the queue of mails; `oppi history` has the session.

Failure: the mail stays in the queue of mails, and is tried again for days (`mailq`; the error is in
`journalctl -t oppi-mail`); one that cannot be used is sent back.

Back: `rm ~/.mailfilter ~/.local/bin/oppi-mail`

"""##),
      File(path: "forward", text: ##"""
"|HOME/.local/bin/oppi-mail"

"""##),
      File(path: "mailfilter", text: ##"""
# For maildrop: what comes to me+WORD@ goes to the shortcut; everything else goes its way.
if (/^(Delivered-To|X-Original-To|To|Cc):.*\+WORD@/:h)
{
  to "|$HOME/.local/bin/oppi-mail"
}

"""##),
      File(path: "oppi-mail", text: ##"""
#!/bin/sh
# Hands a mail on standard input to the shortcut 'mail'; for .forward, maildrop and procmail.
#
# 0 says that it is delivered or in the outbox, 65 that it cannot be used, and the sender gets it back. All else
# is 75: the mail server keeps the mail and tries again. The key, made of Message-ID, has that ask once
# at most; so what differs from one delivery to the next is left out of the text.
set -u
umask 077

mail=$(mktemp -d) || exit 75
trap 'rm -r "$mail"' EXIT
cat >"$mail/whole" || exit 75
awk '
  isBody { print; next }
  /^\r?$/ { isBody = 1; print; next }
  /^[ \t]/ { if (isKept) print; next }
  { isKept = tolower($0) ~ /^(from|to|cc|date|subject|content-type|content-transfer-encoding):/ }
  isKept
' "$mail/whole" >"$mail/text" || exit 75

id=$(sed -n '/^\r*$/q; s/^[Mm][Ee][Ss][Ss][Aa][Gg][Ee]-[Ii][Dd]: *//p' "$mail/whole" | head -n 1)
key=mail-$(printf '%s' "${id:-$(cat "$mail/text")}" | sha256sum | cut -c 1-32)
said=$(/usr/local/bin/oppi run -q --key "$key" mail 2>&1 >/dev/null <"$mail/text")
status=$?
[ "$status" -ne 0 ] || exit 0
# Not every mail server keeps what it says.
printf '%s\n' "$said" >&2
logger -t oppi-mail -- "$said" 2>/dev/null
[ "$status" -eq 65 ] && exit 65
exit 75

"""##),
    ]),
    Example(name: "networkmanager", files: [
      File(path: "README.md", text: ##"""
# networkmanager: a shortcut when a Wi-Fi was joined

Fires when NetworkManager has brought a wireless connection up, as you and in your session. For one network alone, compare
`$CONNECTION_ID` in the dispatcher's script.

    oppi shortcuts add network -w studio/api --queue --expires 1h 'now in the network {{network}}: fetch what is new'
    oppi examples show networkmanager --file oppi-network@.service | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-network@.service
    oppi examples show networkmanager --file 90-oppi | sed "s/^user=.*/user=$(id -un)/" | sudo install -m755 /dev/stdin /etc/NetworkManager/dispatcher.d/90-oppi
    systemctl --user daemon-reload

Success: a notification names the workspace; the session's id is in `journalctl --user -u 'oppi-network@*'`. The server may not be
reachable yet; the prompt is kept in the outbox then.

Failure: a notification has the error and its hint, and the journal, too. What kept the script from handing over is in
`journalctl -u NetworkManager-dispatcher`.

Back: `sudo rm /etc/NetworkManager/dispatcher.d/90-oppi; rm ~/.config/systemd/user/oppi-network@.service`

"""##),
      File(path: "90-oppi", text: ##"""
#!/bin/sh
# A Wi-Fi was joined: has the user's own service manager start a unit with the connection's name as its
# instance. Goes to /etc/NetworkManager/dispatcher.d/, owned by root and writable for root alone, or it
# is left out without a word.
#
# NetworkManager runs it as root without PATH, one script after another, and waits: so it only hands
# over. The name is an access point's, anybody's writing; systemd-escape makes it letters of a unit.
set -u
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH

user=nobody

[ "${2:-}" = up ] || exit 0
[ -e "/sys/class/net/$1/phy80211" ] || exit 0
uid=$(id -u "$user") || exit
# Nobody is logged in, and nobody lingers.
[ -S "/run/user/$uid/systemd/private" ] || exit 0
unit=$(systemd-escape --template=oppi-network@.service -- "$CONNECTION_ID") || exit
exec runuser -u "$user" -- env "XDG_RUNTIME_DIR=/run/user/$uid" systemctl --user --no-block start "$unit"

"""##),
      File(path: "oppi-network@.service", text: ##"""
[Unit]
Description=oppi: joined a network

[Service]
Type=oneshot
# %I is the name as it was; it stays one word here, whatever is in it.
ExecStart=:/usr/local/bin/oppi run --var network=%I network
TimeoutStartSec=1min

"""##),
    ]),
    Example(name: "pickers", files: [
      File(path: "README.md", text: ##"""
# pickers: menus of your own

Fires when a key runs one of the scripts with the menu program that you like. `oppi pick` is such a menu without a script, with
workspaces, sessions and approvals, too; `oppi config set picker rofi` names its program.

    oppi shortcuts add typed -w studio/api --input '{{input}}'
    oppi examples show pickers --file oppi-run-menu | install -Dm755 /dev/stdin ~/.local/bin/oppi-run-menu
    oppi examples show pickers --file oppi-ask-menu | install -Dm755 /dev/stdin ~/.local/bin/oppi-ask-menu

Success: a notification names the workspace. A menu that was left says nothing.

Failure: a notification has the error and its hint.

Back: `rm ~/.local/bin/oppi-run-menu ~/.local/bin/oppi-ask-menu`

"""##),
      File(path: "oppi-ask-menu", text: ##"""
#!/bin/sh
# Has a line typed in a menu without rows, and runs the shortcut 'typed' with it as its input:
#
#   oppi-ask-menu rofi -dmenu -l 0 -p Ask
#   oppi-ask-menu fuzzel --dmenu -l 0 -p 'Ask '
set -u

# Left without a word is no failure.
text=$("$@" </dev/null) || exit 0
[ -n "$text" ] || exit 0
printf '%s' "$text" | /usr/local/bin/oppi run typed

"""##),
      File(path: "oppi-run-menu", text: ##"""
#!/bin/sh
# Chooses a shortcut in a menu and runs it. The menu is any program that reads rows and prints one:
#
#   oppi-run-menu rofi -dmenu -i -p oppi
#   oppi-run-menu fuzzel --dmenu
#   oppi-run-menu dmenu -i
set -u

# Left without a choice is no failure.
name=$(/usr/local/bin/oppi shortcuts | cut -f 1 2>/dev/null | "$@") || exit 0
[ -n "$name" ] || exit 0
exec /usr/local/bin/oppi run -- "$name"

"""##),
    ]),
    Example(name: "polybar", files: [
      File(path: "README.md", text: ##"""
# polybar: the sessions' state in polybar

Shows what matters most of all sessions on all servers, with a menu of what waits for approval on a click, as `oppi watch` has it, or the servers themselves.

    oppi examples show polybar --file config.ini >> ~/.config/polybar/config.ini    # then put oppi into a list of modules

Success: the state, with its colour or class.

Failure: a line all the same, marked as old or unreachable; `oppi status` in a terminal says why.

Back: remove the module.

"""##),
      File(path: "config.ini", text: ##"""
; A module for ~/.config/polybar/config.ini: put oppi into one of the lists of modules.
[module/oppi]
type = custom/script
exec = /usr/local/bin/oppi status --format polybar --follow
tail = true
click-left = /usr/local/bin/oppi pick approvals
click-right = /usr/local/bin/oppi new

"""##),
    ]),
    Example(name: "power", files: [
      File(path: "README.md", text: ##"""
# power: a shortcut when the machine is plugged in

Fires when UPower says that the machine no longer runs on its battery, while you are logged in (or lingering).

    oppi shortcuts add power -w studio/api --queue --expires 1h 'there is power: run the slow tests'
    oppi examples show power --file oppi-power | install -Dm755 /dev/stdin ~/.local/bin/oppi-power
    oppi examples show power --file oppi-power.service | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-power.service
    systemctl --user daemon-reload && systemctl --user enable --now oppi-power.service

Success: a notification names the workspace, or says that it is in the outbox.

Failure: a notification has the error and its hint; so has `journalctl --user -u oppi-power`.

Back: `systemctl --user disable --now oppi-power.service; rm ~/.config/systemd/user/oppi-power.service ~/.local/bin/oppi-power`

"""##),
      File(path: "oppi-power", text: ##"""
#!/bin/sh
# Runs the shortcut 'power' when the machine is plugged in: UPower says so on the system's bus. For the
# lid, wait for "'LidIsClosed': <false>" instead.
set -u

gdbus monitor --system --dest org.freedesktop.UPower --object-path /org/freedesktop/UPower |
  while read -r line; do
    case $line in
      *.PropertiesChanged*"'OnBattery': <false>"*)
        # A loose plug asks once a minute at most.
        /usr/local/bin/oppi run -q --key "power-$(($(date +%s) / 60))" power </dev/null >/dev/null
        ;;
    esac
  done
# The monitor has ended; the unit begins it again.
exit 1

"""##),
      File(path: "oppi-power.service", text: ##"""
[Unit]
Description=oppi: the machine was plugged in

[Service]
ExecStart=:%h/.local/bin/oppi-power
Restart=always
RestartSec=10

[Install]
WantedBy=default.target

"""##),
    ]),
    Example(name: "sway", files: [
      File(path: "README.md", text: ##"""
# sway: keys for a menu, a session and a shortcut

Fires on Super+O (a menu), Super+N (a new session), Super+Shift+O (a shortcut) and Super+Control+O (a shortcut with the clipboard,
by `wl-clipboard`).

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi shortcuts add clip -w studio/api --input '{{input}}'
    oppi examples show sway --file oppi.conf > ~/.config/sway/oppi.conf
    echo 'include ~/.config/sway/oppi.conf' >> ~/.config/sway/config && sway -C && swaymsg reload

Success: a notification names the workspace; Super+N opens a window.

Failure: a notification has the error and its hint.

Back: remove the `include` line and the file, then `swaymsg reload`.

"""##),
      File(path: "oppi.conf", text: ##"""
# Keys for sway; include it from ~/.config/sway/config.
#
# A key has no terminal, so oppi tells by a notification what became of it, success and failure. Each
# whole command stands in double quotes, since sway would split it at , and ; outside of them.

# A menu: shortcuts, workspaces to ask in, and what waits for approval.
bindsym Mod4+o exec "/usr/local/bin/oppi pick"

# A new session in a terminal window, ready to type.
bindsym Mod4+n exec "/usr/local/bin/oppi new"

# Run a shortcut.
bindsym Mod4+Shift+o exec "/usr/local/bin/oppi run standup"

# Run a shortcut with what is on the clipboard as its input.
bindsym Mod4+Control+o exec "wl-paste --no-newline | /usr/local/bin/oppi run clip"

"""##),
    ]),
    Example(name: "sxhkd", files: [
      File(path: "README.md", text: ##"""
# sxhkd: keys for a menu, a session and a shortcut, under any X window manager

Fires on Super+O (a menu), Super+N (a new session), Super+Shift+O (a shortcut) and Super+Control+O (a shortcut with the selection,
by `xclip`).

    oppi shortcuts add standup -w studio/api --queue 'what was done yesterday?'
    oppi shortcuts add clip -w studio/api --input '{{input}}'
    oppi examples show sxhkd --file oppi.sxhkdrc >> ~/.config/sxhkd/sxhkdrc
    kill -USR1 "$(pidof sxhkd)"

Success: a notification names the workspace; Super+N opens a window.

Failure: a notification has the error and its hint.

Back: remove the lines, and have sxhkd read its file again as above.

"""##),
      File(path: "oppi.sxhkdrc", text: ##"""
# Keys for sxhkd, under any window manager for X; append it to ~/.config/sxhkd/sxhkdrc.
#
# A key has no terminal, so oppi tells by a notification what became of it, success and failure.

# A menu: shortcuts, workspaces to ask in, and what waits for approval.
super + o
	/usr/local/bin/oppi pick

# A new session in a terminal window, ready to type.
super + n
	/usr/local/bin/oppi new

# Run a shortcut.
super + shift + o
	/usr/local/bin/oppi run standup

# Run a shortcut with what is selected as its input.
super + ctrl + o
	xclip -o | /usr/local/bin/oppi run clip

"""##),
    ]),
    Example(name: "systemd", files: [
      File(path: "README.md", text: ##"""
# systemd: a shortcut by a timer, and the watch as a service

Fires when the timer of your own service manager elapses; a run that was missed while the machine was off is made up for once.
`oppi schedule add standup --cron '0 9 * * 1-5' --missed once` writes such units by itself, and runs no slot twice.
`oppi-watch.service` keeps notifications and the snapshot for bars going; `oppi setup` writes it, too.

    oppi shortcuts add standup -w studio/api 'what was done yesterday?'
    for f in service timer; do oppi examples show systemd --file oppi-standup.$f | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-standup.$f; done
    systemctl --user daemon-reload && systemctl --user enable --now oppi-standup.timer

Success: the session's id is in the journal, `journalctl --user -u oppi-standup`, and a notification says so where there is a
desktop.

Failure: the same, with the error and its hint; `systemctl --user --failed` lists the service until it succeeds.

Back: `systemctl --user disable --now oppi-standup.timer; rm ~/.config/systemd/user/oppi-standup.*`

"""##),
      File(path: "oppi-standup.service", text: ##"""
# A user service that fires a shortcut. 'oppi schedule add standup --cron "0 9 * * 1-5" --missed once'
# writes one by itself, and runs no slot twice; this is for units that you keep by hand. It goes to
# ~/.config/systemd/user/ with its timer:
#   systemctl --user enable --now oppi-standup.timer
#   loginctl enable-linger    # where it is to run without a login
#
# What it printed is in the journal, the session's id or the error with its hint; a run that failed
# is listed, too, until it succeeds:
#   journalctl --user -u oppi-standup
#   systemctl --user --failed

[Unit]
Description=oppi: standup
Documentation=man:oppi(1)

[Service]
Type=oneshot
# No prompt stands in a unit: this names a shortcut.
ExecStart=:/usr/local/bin/oppi run standup
WorkingDirectory=%h
# An ask is over in 10 s; this is for the day when it is not.
TimeoutStartSec=1min
# 75 is "try again later": the next run of the timer does.
SuccessExitStatus=75
# Instead of the credential file, the token may come from a file of its own:
#LoadCredential=oppi-studio:%h/.secrets/oppi-studio

"""##),
      File(path: "oppi-standup.timer", text: ##"""
[Unit]
Description=oppi: standup on working days

[Timer]
OnCalendar=Mon..Fri 09:00 Europe/Berlin
# A run that was missed while the machine was off is made up for once.
Persistent=true
RandomizedDelaySec=2min

[Install]
WantedBy=timers.target

"""##),
      File(path: "oppi-watch.service", text: ##"""
# A user service that raises notifications and keeps the snapshot for status bars. Goes to
# ~/.config/systemd/user/:
#   systemctl --user enable --now oppi-watch.service
#
# What it told is in the journal; it is started again when it fails, or shows no sign of life:
#   journalctl --user -u oppi-watch

[Unit]
Description=oppi: notifications and status
Documentation=man:oppi(1)

[Service]
Type=notify
# With --poll 30s phones are told as ever; without it, at once and here alone.
ExecStart=:/usr/local/bin/oppi watch
WorkingDirectory=%h
Restart=on-failure
RestartSec=30
# Not paired, or a file of the configuration is wrong: somebody has to do something first.
RestartPreventExitStatus=78
# So it ends when it is stopped.
SuccessExitStatus=143
WatchdogSec=2min
# Servers that do not answer are part of the start.
TimeoutStartSec=1min

[Install]
WantedBy=default.target

"""##),
    ]),
    Example(name: "systemd-boot", files: [
      File(path: "README.md", text: ##"""
# systemd-boot: a shortcut when the machine has started

Fires once a boot: when you log in, or with lingering when the machine is up. The network may not be there yet; the prompt is
kept in the outbox then, and `oppi watch` or `oppi-outbox.timer` of `oppi setup` delivers it.

    oppi shortcuts add boot -w studio/api --queue --expires 24h 'the machine has started: check its logs'
    oppi examples show systemd-boot --file oppi-boot.service | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-boot.service
    systemctl --user daemon-reload && systemctl --user enable oppi-boot.service && loginctl enable-linger

Success: the session's id, or that it is in the outbox, is in `journalctl --user -u oppi-boot`; a notification says so where there is a
desktop.

Failure: the error with its hint is there likewise, and `systemctl --user --failed` lists the service.

Back: `systemctl --user disable oppi-boot.service; rm ~/.config/systemd/user/oppi-boot.service`

"""##),
      File(path: "oppi-boot.service", text: ##"""
[Unit]
Description=oppi: the machine is up

[Service]
Type=oneshot
# %b is the id of this boot: whoever logs in a second time asks nothing.
ExecStart=:/usr/local/bin/oppi run --key boot-%b boot
# Stays, so that it is not run again while you are logged in.
RemainAfterExit=yes
# No room, or busy.
SuccessExitStatus=75
TimeoutStartSec=1min

[Install]
WantedBy=default.target

"""##),
    ]),
    Example(name: "systemd-path", files: [
      File(path: "README.md", text: ##"""
# systemd-path: a shortcut for each file that comes into a folder

Fires when a file `~/inbox/*.md` is there; its text is the shortcut's input, its name a value.

    oppi shortcuts add inbox -w studio/api --input --queue '{{file}} says: {{input}}'
    mkdir -p ~/inbox; oppi examples show systemd-path --file oppi-inbox | install -Dm755 /dev/stdin ~/.local/bin/oppi-inbox
    for f in path service; do oppi examples show systemd-path --file oppi-inbox.$f | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-inbox.$f; done
    systemctl --user daemon-reload && systemctl --user enable --now oppi-inbox.path

Success: the file is in `~/inbox/done`, and a notification says so where there is a desktop.

Failure: the file is in `~/inbox/failed` with the error in `FILE.error`, which the journal has, too; `systemctl --user --failed`
lists the service. To try again, move the file back.

Back: `systemctl --user disable --now oppi-inbox.path; rm ~/.config/systemd/user/oppi-inbox.* ~/.local/bin/oppi-inbox`

"""##),
      File(path: "oppi-inbox", text: ##"""
#!/bin/sh
# Hands each file ~/inbox/*.md to the shortcut 'inbox', and moves it to done/, or to failed/ with what
# went wrong beside it.
#
# A file is moved to work/ before anything is sent, since the path unit fires as long as one is left.
# What is still there was under way when the machine went down; the key, made of the file's time, name
# and text, has it asked once at most.
set -u

cd "$HOME/inbox" || exit
mkdir -p work 'done' failed || exit
result=0

for file in ./*.md; do
  [ -f "$file" ] && mv --backup=numbered -- "$file" work/
done
for file in work/*; do
  [ -f "$file" ] || continue
  name=${file#work/}
  key=inbox-$({ stat -c '%Y %n' -- "$file" && cat -- "$file"; } | sha256sum | cut -c 1-32)
  if said=$(/usr/local/bin/oppi run --key "$key" --var file="$name" inbox 2>&1 >/dev/null <"$file"); then
    mv --backup=numbered -- "$file" done/
  else
    result=$?
    printf '%s: %s\n' "$name" "$said" >&2
    printf '%s\n' "$said" >"failed/$name.error"
    mv --backup=numbered -- "$file" failed/
  fi
done
exit "$result"

"""##),
      File(path: "oppi-inbox.path", text: ##"""
[Unit]
Description=oppi: files in ~/inbox

[Path]
# Whole files only: have them moved there, or written under another name first.
PathExistsGlob=%h/inbox/*.md

[Install]
WantedBy=default.target

"""##),
      File(path: "oppi-inbox.service", text: ##"""
[Unit]
Description=oppi: hand on the files in ~/inbox

[Service]
Type=oneshot
ExecStart=:%h/.local/bin/oppi-inbox
TimeoutStartSec=10min

"""##),
    ]),
    Example(name: "tmux", files: [
      File(path: "README.md", text: ##"""
# tmux: the sessions' state in tmux

Shows what matters most of all sessions on all servers, and has a menu on a key, as `oppi watch` has it, or the servers themselves.

    oppi examples show tmux --file tmux.conf >> ~/.tmux.conf && tmux source-file ~/.tmux.conf

Success: the state, with its colour or class.

Failure: a line all the same, marked as old or unreachable; `oppi status` in a terminal says why.

Back: remove the lines, then `tmux set -gu status-right` and `tmux unbind-key O`.

"""##),
      File(path: "tmux.conf", text: ##"""
# For ~/.tmux.conf: at the right end of the status line.
set -g status-right-length 60
set -g status-right '#(/usr/local/bin/oppi status --format tmux)'
set -g status-interval 5

# Prefix and O: a menu by fzf above the panes.
bind-key O display-popup -E '/usr/local/bin/oppi pick'

"""##),
    ]),
    Example(name: "udev", files: [
      File(path: "README.md", text: ##"""
# udev: a shortcut when a device is plugged in

Fires for each USB device that appears while you are logged in (or lingering), those that are there at login included. It runs as
you, in your session, started by your own service manager; udev itself runs nothing.

    oppi shortcuts add plugged -w studio/api --queue --expires 1h 'the device {{device}} was plugged in: back it up'
    oppi examples show udev --file oppi-plugged | install -Dm755 /dev/stdin ~/.local/bin/oppi-plugged
    oppi examples show udev --file oppi-plugged@.service | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-plugged@.service
    oppi examples show udev --file 90-oppi.rules | sudo install -m644 /dev/stdin /etc/udev/rules.d/90-oppi.rules
    systemctl --user daemon-reload; sudo udevadm control --reload

Success: a notification names the workspace; the session's id is in `journalctl --user -u 'oppi-plugged@*'`.

Failure: a notification has the error and its hint, and the journal, too; `systemctl --user --failed` lists the unit.

Back: `sudo rm /etc/udev/rules.d/90-oppi.rules; sudo udevadm control --reload; rm ~/.config/systemd/user/oppi-plugged@.service ~/.local/bin/oppi-plugged`

"""##),
      File(path: "90-oppi.rules", text: ##"""
# A USB device was plugged in: has the service manager of each user who is logged in start the unit,
# with the device's path in /sys as its instance. Goes to /etc/udev/rules.d/.
#
# Never RUN+=: it is run as root in a sandbox without network, and killed when the event is over.
#
# One plug makes events for the device and each of its interfaces; this is the device's alone. Narrow it
# down, for instance with ENV{ID_VENDOR_ID}=="1d6b"; 'udevadm info /sys/...' shows what there is.
ACTION=="add", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", TAG+="systemd", ENV{SYSTEMD_USER_WANTS}+="oppi-plugged@.service"

"""##),
      File(path: "oppi-plugged", text: ##"""
#!/bin/sh
# Runs the shortcut 'plugged' for a device, named by its path in /sys.
#
# What a device says of itself is anybody's writing: it goes into a value, which oppi caps and cleans,
# and into no word of a shell or unit. The key has a loose plug ask once a minute at most.
set -u

device=${1:?usage: oppi-plugged /sys/...}
properties=$(udevadm info --query=property --path="$device") || exit
value() { printf '%s\n' "$properties" | sed -n "s/^$1=//p" | head -n 1; }

model=$(value ID_MODEL)
serial=$(printf '%s %s' "$(value ID_SERIAL)" "$device" | sha256sum | cut -c 1-16)
minute=$(($(date +%s) / 60))
exec /usr/local/bin/oppi run --key "plugged-$serial-$minute" --var device="${model:-${device##*/}}" plugged

"""##),
      File(path: "oppi-plugged@.service", text: ##"""
[Unit]
Description=oppi: %f was plugged in

[Service]
Type=oneshot
ExecStart=:%h/.local/bin/oppi-plugged %f
TimeoutStartSec=1min

"""##),
    ]),
    Example(name: "wake", files: [
      File(path: "README.md", text: ##"""
# wake: a shortcut when the lid was opened, or the machine woke up

Fires when systemd-logind says that the machine is back from sleep, while you are logged in (or lingering). The network comes
later; the prompt is kept in the outbox until then, and too late after an hour.

    oppi shortcuts add wake -w studio/api --queue --expires 1h 'I am back: what happened meanwhile?'
    oppi examples show wake --file oppi-wake | install -Dm755 /dev/stdin ~/.local/bin/oppi-wake
    oppi examples show wake --file oppi-wake.service | install -Dm644 /dev/stdin ~/.config/systemd/user/oppi-wake.service
    systemctl --user daemon-reload && systemctl --user enable --now oppi-wake.service

Success: a notification names the workspace, or says that it is in the outbox.

Failure: a notification has the error and its hint; so has `journalctl --user -u oppi-wake`.

Back: `systemctl --user disable --now oppi-wake.service; rm ~/.config/systemd/user/oppi-wake.service ~/.local/bin/oppi-wake`

"""##),
      File(path: "oppi-wake", text: ##"""
#!/bin/sh
# Runs the shortcut 'wake' when the machine wakes up, as after its lid was opened: systemd-logind says
# so to everybody on the system's bus, and no root is needed to hear it.
set -u

gdbus monitor --system --dest org.freedesktop.login1 --object-path /org/freedesktop/login1 |
  while read -r line; do
    case $line in
      # Its argument is whether the machine goes to sleep; this is the way back.
      *.PrepareForSleep\ \(false,\))
        /usr/local/bin/oppi run -q --key "wake-$(date +%s)" wake </dev/null >/dev/null
        ;;
    esac
  done
# The monitor has ended; the unit begins it again.
exit 1

"""##),
      File(path: "oppi-wake.service", text: ##"""
[Unit]
Description=oppi: the machine woke up

[Service]
ExecStart=:%h/.local/bin/oppi-wake
Restart=always
RestartSec=10

[Install]
WantedBy=default.target

"""##),
    ]),
    Example(name: "waybar", files: [
      File(path: "README.md", text: ##"""
# waybar: the sessions' state in waybar

Shows what matters most of all sessions on all servers, with a menu of what waits for approval on a click, as `oppi watch` has it, or the servers themselves.

    oppi examples show waybar    # copy "custom/oppi" into ~/.config/waybar/config and into a list of modules

Success: the state, with its colour or class.

Failure: a line all the same, marked as old or unreachable; `oppi status` in a terminal says why.

Back: remove the module.

"""##),
      File(path: "config.jsonc", text: ##"""
// A module for ~/.config/waybar/config: put "custom/oppi" into one of the lists of modules.
// The class is the state (see 'oppi help status'), and "stale" beside it for what is old, for style.css:
//   #custom-oppi.awaitingApproval { color: #ff9f0a; }
{
  "custom/oppi": {
    "exec": "/usr/local/bin/oppi status --format waybar --follow",
    "return-type": "json",
    "restart-interval": 5,
    "on-click": "/usr/local/bin/oppi pick approvals",
    "on-click-right": "/usr/local/bin/oppi new"
  }
}

"""##),
    ]),
  ]
}
