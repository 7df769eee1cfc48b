<#
.SYNOPSIS
Makes the WSL2 of this Windows computer reachable for the other machines of a ringrun job.

.DESCRIPTION
Checks Windows (11 22H2 or newer) and WSL (2.0.0 or newer), sets mirrored networking in .wslconfig, lets the other
machines in through Windows' firewall and the Hyper-V firewall of WSL, and keeps the distribution running. It may be run
again: what is there is replaced by the same. -WhatIf shows what it would do, -Undo takes all of it back.

.PARAMETER Peers
The other machines' addresses, or their network: 192.168.1.6, or 192.168.1.0/24. Nobody else is let in.

.PARAMETER Distribution
The distribution to keep running; as `wsl --list` shows it. Without it the default one.

.PARAMETER NoKeepAlive
Makes no task that keeps the distribution running from logon on.

.PARAMETER Undo
Removes the rules and the task, and puts the .wslconfig of before back.

.EXAMPLE
powershell -ExecutionPolicy Bypass -File windows.ps1 -Peers 192.168.1.6 -WhatIf

.EXAMPLE
powershell -ExecutionPolicy Bypass -File windows.ps1 -Undo
#>
#Requires -Version 5.1
#Requires -RunAsAdministrator
[CmdletBinding(SupportsShouldProcess = $true, DefaultParameterSetName = 'Set')]
param(
    [Parameter(Mandatory = $true, ParameterSetName = 'Set')]
    [string[]] $Peers,

    [Parameter(ParameterSetName = 'Set')]
    [string] $Distribution = '',

    [Parameter(ParameterSetName = 'Set')]
    [switch] $NoKeepAlive,

    [Parameter(Mandatory = $true, ParameterSetName = 'Undo')]
    [switch] $Undo
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

# The id by which the Hyper-V firewall knows WSL.
$WslCreator = '{40E0AC32-46A5-438A-A0B2-2B479E8F2E90}'
$TaskName = 'ringrun keeps WSL running'
$ConfigPath = Join-Path $env:USERPROFILE '.wslconfig'
$BackupPath = Join-Path $env:USERPROFILE '.wslconfig.before-ringrun'

# ssh, and all that NCCL, MPI and the rendezvous may listen on, but for the ports that Windows never hands on to WSL:
# 1900, 2869, 3702, 5004, 5357 and 5358 (135 lies below).
$Ports = @('22', '1024-1899', '1901-2868', '2870-3701', '3703-5003', '5005-5356', '5359-65535')

# The lines of an ini file in which a key of a section has this value; everything else stays as it is.
function Get-IniWith {
    param([string[]] $Lines, [string] $Section, [string] $Key, [string] $Value)
    $result = New-Object System.Collections.Generic.List[string]
    $inside = $false
    $done = $false
    foreach ($line in $Lines) {
        if ($line -match '^\s*\[(.+?)\]') {
            if ($inside -and -not $done) {
                $result.Add("$Key=$Value")
                $done = $true
            }
            $inside = $Matches[1].Trim() -ieq $Section
        }
        elseif ($inside -and $line -match "^\s*$([regex]::Escape($Key))\s*=") {
            if (-not $done) {
                $result.Add("$Key=$Value")
                $done = $true
            }
            continue
        }
        $result.Add($line)
    }
    if (-not $done) {
        if (-not $inside) {
            $result.Add("[$Section]")
        }
        $result.Add("$Key=$Value")
    }
    return $result.ToArray()
}

function Assert-Windows {
    $build = [Environment]::OSVersion.Version.Build
    if ($build -lt 22621) {
        throw "Windows build $build has no mirrored networking for WSL (W3). It needs Windows 11 22H2, build 22621, or newer; else take a machine with Linux."
    }
}

function Get-WslVersion {
    # Without this wsl.exe writes UTF-16, which PowerShell reads as text with zeros in it.
    $env:WSL_UTF8 = '1'
    if (-not (Get-Command wsl.exe -ErrorAction SilentlyContinue)) {
        throw 'WSL is not installed. In this window: wsl --install -d Ubuntu-22.04'
    }
    $said = (& wsl.exe --version | Out-String)
    if ($LASTEXITCODE -ne 0 -or $said -notmatch '(\d+\.\d+\.\d+)') {
        throw 'This WSL is the old one that came with Windows. In this window: wsl --update'
    }
    return [version] $Matches[1]
}

function Set-WslConfig {
    param([version] $WslVersion)
    $before = @()
    if (Test-Path -LiteralPath $ConfigPath) {
        $before = @(Get-Content -LiteralPath $ConfigPath -Encoding UTF8)
    }
    $after = Get-IniWith -Lines $before -Section 'wsl2' -Key 'networkingMode' -Value 'mirrored'
    $after = Get-IniWith -Lines $after -Section 'wsl2' -Key 'vmIdleTimeout' -Value '-1'
    if ($WslVersion -ge [version] '2.5.0') {
        $after = Get-IniWith -Lines $after -Section 'general' -Key 'instanceIdleTimeout' -Value '-1'
    }
    if (($before -join "`n") -ceq ($after -join "`n")) {
        Write-Output "$ConfigPath is right already."
        return
    }
    if ($PSCmdlet.ShouldProcess($ConfigPath, 'set networkingMode=mirrored and no idle timeouts')) {
        if ((Test-Path -LiteralPath $ConfigPath) -and -not (Test-Path -LiteralPath $BackupPath)) {
            Copy-Item -LiteralPath $ConfigPath -Destination $BackupPath
        }
        # Without a byte order mark, which WSL takes for a part of the first line.
        [IO.File]::WriteAllLines($ConfigPath, [string[]] $after)
        Write-Output "$ConfigPath is changed; it holds after: wsl --shutdown"
    }
}

function Remove-Rules {
    foreach ($name in 'ringrun-tcp', 'ringrun-udp', 'ringrun-icmp') {
        if (Get-NetFirewallRule -Name $name -ErrorAction SilentlyContinue) {
            if ($PSCmdlet.ShouldProcess($name, 'remove the rule of Windows'' firewall')) {
                Remove-NetFirewallRule -Name $name
            }
        }
        if (Get-NetFirewallHyperVRule -Name $name -ErrorAction SilentlyContinue) {
            if ($PSCmdlet.ShouldProcess($name, 'remove the rule of the Hyper-V firewall')) {
                Remove-NetFirewallHyperVRule -Name $name
            }
        }
    }
}

function Add-Rules {
    # ICMP tells a sender that its packets are too large; UDP carries ringrun's own look at that.
    foreach ($rule in @(
            @{ Name = 'ringrun-tcp'; Protocol = 'TCP'; Ports = $Ports },
            @{ Name = 'ringrun-udp'; Protocol = 'UDP'; Ports = $Ports },
            @{ Name = 'ringrun-icmp'; Protocol = 'ICMPv4'; Ports = $null })) {
        $common = @{
            Name        = $rule.Name
            DisplayName = "ringrun nodes ($($rule.Protocol))"
            Direction   = 'Inbound'
            Action      = 'Allow'
            Protocol    = $rule.Protocol
        }
        $windows = @{ RemoteAddress = $Peers }
        $hyperv = @{ RemoteAddresses = $Peers; VMCreatorId = $WslCreator }
        if ($rule.Ports) {
            $windows['LocalPort'] = $rule.Ports
            $hyperv['LocalPorts'] = $rule.Ports
        }
        if ($PSCmdlet.ShouldProcess("$($rule.Protocol) from $($Peers -join ', ')", 'let in, by both firewalls')) {
            New-NetFirewallRule @common @windows | Out-Null
            New-NetFirewallHyperVRule @common @hyperv | Out-Null
        }
    }
}

function Remove-Task {
    if (Get-ScheduledTask -TaskName $TaskName -ErrorAction SilentlyContinue) {
        if ($PSCmdlet.ShouldProcess($TaskName, 'remove the task')) {
            Stop-ScheduledTask -TaskName $TaskName
            Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false
        }
    }
}

# A distribution in which only services run counts as idle: something that Windows started must stay in it (W7).
function Add-Task {
    $words = '--headless wsl.exe'
    if ($Distribution) {
        $words += " --distribution $Distribution"
    }
    $words += ' --exec sleep infinity'
    if ($PSCmdlet.ShouldProcess($TaskName, "start at each logon: conhost.exe $words")) {
        $user = [Security.Principal.WindowsIdentity]::GetCurrent().Name
        $action = New-ScheduledTaskAction -Execute 'conhost.exe' -Argument $words
        $trigger = New-ScheduledTaskTrigger -AtLogOn -User $user
        $settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries `
            -ExecutionTimeLimit ([TimeSpan]::Zero)
        Register-ScheduledTask -TaskName $TaskName -Action $action -Trigger $trigger -Settings $settings -Force | Out-Null
    }
}

if ($Undo) {
    Remove-Rules
    Remove-Task
    if (Test-Path -LiteralPath $BackupPath) {
        if ($PSCmdlet.ShouldProcess($ConfigPath, 'put the file of before back')) {
            Move-Item -LiteralPath $BackupPath -Destination $ConfigPath -Force
        }
    }
    else {
        Write-Output "No .wslconfig of before is kept; take lines out of $ConfigPath by hand where they are not wanted."
    }
    Write-Output 'Undone. What .wslconfig says holds after: wsl --shutdown'
    return
}

# With -File several peers come as one text.
$Peers = @($Peers | ForEach-Object { $_ -split ',' } | ForEach-Object { $_.Trim() } | Where-Object { $_ })
Assert-Windows
$wsl = Get-WslVersion
if ($wsl -lt [version] '2.0.0') {
    throw "WSL $wsl has no mirrored networking. In this window: wsl --update"
}
Set-WslConfig -WslVersion $wsl
Remove-Rules
Add-Rules
Remove-Task
if (-not $NoKeepAlive) {
    Add-Task
}
Write-Output @"
Next, in this window:  wsl --shutdown
then start the distribution, or let its task do so now:  Start-ScheduledTask -TaskName '$TaskName'
and inside it, in ringrun's folder:  hostfiles/nodes/wsl2/setup
The computer must not go to sleep while it is a node:  powercfg /change standby-timeout-ac 0
"@
